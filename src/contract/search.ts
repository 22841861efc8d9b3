import { z } from 'zod'
import { byMember } from './core/access.ts'
import { jsonGet } from './core/methods.ts'
import { operation } from './core/operation.ts'

/** In the order in which equally good hits are listed. A database is before its source, which has an id of its own. */
export const SEARCH_KINDS = ['app', 'database', 'source', 'person', 'change', 'ticket', 'deploy'] as const
export type SearchKind = (typeof SEARCH_KINDS)[number]
const SearchKind = z.enum(SEARCH_KINDS)

const MAX_SEARCH_CHARACTERS = 100
export const MAX_SEARCH_HITS = 20

const SearchHit = z.object({
  kind: SearchKind,
  id: z.string().describe('The id; the name of a database'),
  title: z.string(),
  subtitle: z.string().describe('One line that tells it apart from others of the same title; can be empty'),
  app: z.string().nullable().describe('Alias of the app that it is or belongs to'),
})
export type SearchHit = z.infer<typeof SearchHit>

export const search = operation({
  ...jsonGet,
  name: 'search.find',
  path: '/api/wf/search',
  summary: 'Find things of the organization by their name or id',
  description:
    'Finds only what the lists of each kind show to the caller. Names are compared without upper and lower case: exact matches first, then those that begin with the text, then those that contain it. Of tickets and changes, the newest 100 of each app are searched by title, and all by the beginning of their id. Deploys are found by the beginning of their id.',
  access: byMember,
  rateLimits: [{ name: 'search', per: 'principal', limit: 300, windowSeconds: 60 }],
  input: z.object({ q: z.string().trim().min(1).max(MAX_SEARCH_CHARACTERS).describe('Part of a name, or an id') }),
  output: z.object({
    items: z.array(SearchHit).describe(`Best first, at most ${MAX_SEARCH_HITS}`),
    unavailable: z
      .array(SearchKind)
      .describe('Kinds that could not be searched, such as people while the auth service does not answer'),
  }),
})
