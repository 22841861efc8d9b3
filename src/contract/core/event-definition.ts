import { z } from 'zod'
import type { IdPrefix } from './ids.ts'
import { subjectLine } from './subject-line.ts'

/** Kinds of events that a person can choose to follow in an app. */
export const FOLLOW_CATEGORIES = ['checks', 'maintenance', 'failed_deploys', 'tickets'] as const
export type FollowCategory = (typeof FOLLOW_CATEGORIES)[number]

export const CATEGORY_LABELS: Record<FollowCategory, string> = {
  checks: 'Checks',
  maintenance: 'Maintenance',
  failed_deploys: 'Failed deploys',
  tickets: 'Tickets',
}

export type EventDefinition<Body> = {
  /** Null: no personal follow matches it. */
  readonly category: FollowCategory | null
  /** Short status codes that the body's `status` can have. */
  readonly statuses: readonly string[]
  /** Refuses unknown keys, so that log lines, message texts and secrets cannot travel with an event. */
  readonly body: z.ZodType<Body>
  /** The line that says what happened. Contains names that people typed; `subjectLine` keeps it short. */
  readonly subject: (body: Body) => string
  /** Path in the console, without an origin. Contains ids and aliases only, never a token. */
  readonly link: (body: Body) => string
}

type BodyOf<Statuses extends readonly string[], About extends z.ZodRawShape> = z.infer<
  z.ZodObject<{ status: z.ZodEnum<{ [S in Statuses[number]]: S }>; actor_id: z.ZodNullable<z.ZodString> } & About>
>

type Parts<Statuses extends readonly string[], About extends z.ZodRawShape> = {
  category: FollowCategory | null
  statuses: Statuses
  /** Ids and short names of the things that the event is about. */
  about: About
  subject: (body: BodyOf<Statuses, About>) => string
  link: (body: BodyOf<Statuses, About>) => string
}

/** Adds the fields of every event to the body: its status code, and the user who acted or null. */
export function defineEvent<const Statuses extends readonly string[], About extends z.ZodRawShape>({
  about,
  ...parts
}: Parts<Statuses, About>): EventDefinition<BodyOf<Statuses, About>> {
  const body = z.strictObject({ status: z.enum(parts.statuses), actor_id: idOf('usr').nullable(), ...about })
  return { ...parts, body }
}

/** The shape of an id with that prefix, as `lib/ids.ts` makes them. */
export function idOf(prefix: IdPrefix): z.ZodString {
  return z.string().regex(new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`))
}

/** A name that a person chose. It is shortened, not refused: a long ticket title must not undo the ticket. */
export const Label = z.string().overwrite(subjectLine)

export const EventApp = z.strictObject({
  id: idOf('app'),
  alias: z
    .string()
    .max(63)
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/),
  name: Label,
})
