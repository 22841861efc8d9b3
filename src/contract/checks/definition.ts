import { z } from 'zod'
import { LogLevel } from '../apps/logs.ts'

const MAX_WINDOW_MINUTES = 24 * 60
const MAX_WORDS = 10

/** A path at the app itself, or an address elsewhere. */
const Target = z
  .string()
  .max(2000)
  .regex(
    /^(\/(?!\/)|https?:\/\/)[!"$-~]*$/,
    'must be a path that begins with one /, or an address with http:// or https://, in printable ASCII without spaces and #',
  )
  .describe('A path, which is asked at the address of the app itself, or an address elsewhere, with http or https')

const windowMinutes = z
  .int()
  .min(1)
  .max(MAX_WINDOW_MINUTES)
  .default(15)
  .describe('How far back the log is read, at most a day')
const LineCount = z.int().min(0).max(10_000)

const HttpCheck = z.strictObject({
  kind: z.literal('http'),
  target: Target,
  expected_status: z
    .int()
    .min(100)
    .max(599)
    .nullable()
    .default(null)
    .describe('Null: 200 to 399. Redirects are not followed'),
  contains: z
    .string()
    .min(1)
    .max(200)
    .nullable()
    .default(null)
    .describe('Text that must be in the first 64 KiB of the answer'),
  timeout_seconds: z.int().min(1).max(30).default(10),
})

const LogCheck = z
  .strictObject({
    kind: z.literal('log'),
    text: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .refine((text) => text.split(/\s+/).length <= MAX_WORDS, `must have at most ${MAX_WORDS} words`)
      .nullable()
      .default(null)
      .describe('Words that a line must contain, in any case, as in the search of logs; null counts all lines'),
    level: LogLevel.nullable().default(null).describe('Counts lines of this level and above; null counts all levels'),
    window_minutes: windowMinutes,
    max_count: LineCount.nullable()
      .default(null)
      .describe('Fails if more lines match. 0 if neither max_count nor min_count is given'),
    min_count: LineCount.nullable().default(null).describe('Fails if fewer lines match'),
  })
  .refine(({ min_count, max_count }) => min_count === null || max_count === null || min_count <= max_count, {
    message: 'must not be more than max_count',
    path: ['min_count'],
  })

const AgentCheck = z.strictObject({
  kind: z.literal('agent'),
  instructions: z.string().trim().min(1).max(4000).describe('What the model judges, and when the check fails'),
  model: z.string().min(3).max(200).describe('Name of a chat model of this installation, as `provider/model`'),
  window_minutes: windowMinutes,
  level: LogLevel.nullable().default(null).describe('Shows lines of this level and above; null shows all'),
  path: Target.refine((path) => path.startsWith('/'), 'must be a path')
    .nullable()
    .default(null)
    .describe('Path at the app whose answer the model sees beside the log'),
})

/** Defines a check. `kind` decides which fields it has. */
export const CheckDefinition = z.discriminatedUnion('kind', [HttpCheck, LogCheck, AgentCheck])
export type CheckDefinition = z.infer<typeof CheckDefinition>
export type DefinitionOf<Kind extends CheckDefinition['kind']> = Extract<CheckDefinition, { kind: Kind }>

export const CheckSchedule = z.union([
  z.strictObject({ every_minutes: z.int().min(1).max(1440) }),
  z.strictObject({
    cron: z.string().trim().min(1).max(100).describe('Minute, hour, day of the month, month, day of the week'),
    timezone: z.string().min(1).max(64).default('UTC').describe('As in `Europe/Berlin`'),
  }),
])
export type CheckSchedule = z.infer<typeof CheckSchedule>
