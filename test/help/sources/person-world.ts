import { seeded } from '../seeded.ts'

/** A row of the table `docs`. Its vector has length 1. */
export type Doc = { id: number; owner: string; team: number; topic: number; vector: Float32Array }
export type Asker = { email: string; user_id: string; role: string; teams: readonly number[] }

/** A policy as SQL, and the same rule here. */
type Policy = { readonly name: string; readonly sql: string; readonly sees: (asker: Asker, doc: Doc) => boolean }

export const DIMENSIONS = 32
const TOPICS = 10
const TEAMS = 4
/** Share of the rows that each person owns. The first owns none, the last all that is left. */
const OWNED_SHARES = [0, 0.0005, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.25]

export const ASKERS: readonly Asker[] = Array.from({ length: OWNED_SHARES.length + 1 }, (_, n) => ({
  email: `person-${n}@example.com`,
  user_id: `usr_${n}`,
  role: n === 9 ? 'owner' : 'viewer',
  teams: Array.from({ length: TEAMS }, (__, team) => team).filter((team) => ((n >> team) & 1) === 1),
}))

/** Policies that the planner can estimate, that it cannot, and one that follows the subjects of the rows. */
export const POLICIES: readonly Policy[] = [
  {
    name: 'own rows',
    sql: `create policy own on public.docs using (owner = current_setting('app.email', true))`,
    sees: ({ email }, { owner }) => owner === email,
  },
  {
    name: 'rows of the teams, by a function',
    sql: `create policy team on public.docs for select using (team = any(public.teams_of(current_setting('app.user_id'))))`,
    sees: ({ teams }, { team }) => teams.includes(team),
  },
  {
    name: 'all rows for a role',
    // With a subquery a setting is read once for a statement, and not for every row.
    sql: `create policy roles on public.docs using
      ((select current_setting('app.role')) = 'owner' or owner = (select current_setting('app.email')))`,
    sees: ({ role, email }, { owner }) => role === 'owner' || owner === email,
  },
  {
    name: 'a restriction',
    sql: `create policy every on public.docs using (true);
      create policy even on public.docs as restrictive using (topic % 2 = 0 or owner = current_setting('app.email'))`,
    sees: ({ email }, { topic, owner }) => topic % 2 === 0 || owner === email,
  },
  {
    name: 'one subject',
    sql: `create policy subject on public.docs using (topic = right(current_setting('app.user_id'), 1)::int)`,
    sees: ({ user_id }, { topic }) => topic === Number(user_id.at(-1)),
  },
]

/** Makes rows in clusters that overlap, as texts about a few subjects do. */
export function makeDocs(count: number, seed: number): Doc[] {
  const random = seeded(seed)
  const centres = Array.from({ length: TOPICS }, () => direction(random))
  return Array.from({ length: count }, (_, id) => {
    const topic = Math.floor(random() * TOPICS)
    const team = Math.floor(random() * TEAMS)
    return { id, owner: ownerOf(random()), team, topic, vector: near(centres[topic]!, random) }
  })
}

function ownerOf(place: number): string {
  let sum = 0
  const owner = OWNED_SHARES.findIndex((share) => {
    sum += share
    return place < sum
  })
  return ASKERS.at(owner)!.email
}

/** A question near the middle of two rows. */
export function makeQuestion(docs: readonly Doc[], random: () => number): Float32Array {
  const pick = () => docs[Math.floor(random() * docs.length)]!.vector
  const [one, other] = [pick(), pick()]
  return normalized(one.map((value, i) => value + other[i]!))
}

type Expected = { readonly count: number; readonly lastDistance: number }

/** The right answer to a question: how many rows, and how far the last one is. */
export function answerOf(visible: readonly Doc[], question: Float32Array, limit: number): Expected {
  const nearest: number[] = []
  for (const { vector } of visible) {
    const found = distance(vector, question)
    if (nearest.length === limit && found >= nearest.at(-1)!) continue
    const place = nearest.findIndex((other) => found < other)
    nearest.splice(place === -1 ? nearest.length : place, 0, found)
    if (nearest.length > limit) nearest.pop()
  }
  return { count: nearest.length, lastDistance: nearest.at(-1) ?? 0 }
}

function distance(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (let i = 0; i < one.length; i++) sum += one[i]! * other[i]!
  return 1 - sum
}

function direction(random: () => number): Float32Array {
  return normalized(Float32Array.from({ length: DIMENSIONS }, () => random() + random() - 1))
}

function near(centre: Float32Array, random: () => number): Float32Array {
  return normalized(centre.map((value) => value + 0.6 * (random() + random() - 1)))
}

function normalized(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}
