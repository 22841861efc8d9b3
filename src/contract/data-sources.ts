import { z } from 'zod'
import { NO_BODY } from './limits.ts'
import { operation } from './operation.ts'
import { listOf } from './paging.ts'

/** Weakest first. `member` is no minimum role of a source: the seed names these four. */
export const MIN_ROLES = ['viewer', 'developer', 'admin', 'owner'] as const
export const FilterType = z.enum(['string', 'number', 'boolean'])

export const SlimSource = z.object({
  id: z.string().describe('Shaped `db_<database name>`'),
  name: z.string(),
  min_role: z.enum(MIN_ROLES),
  filters: z.record(z.string(), FilterType).describe('Columns a question may be filtered on'),
  description: z.string(),
})
export type SlimSource = z.infer<typeof SlimSource>

/** One page always holds them all: an organization exposes at most 100. */
export const listSlimSources = operation({
  kind: 'json',
  name: 'data-sources.slim-list',
  method: 'GET',
  path: '/api/wf/slim/data-sources',
  summary: 'The data sources the caller may ask',
  access: { principals: ['user', 'api_token', 'agent'], role: 'viewer', scope: 'datasources:read', org: 'token' },
  effect: 'read',
  bodyLimit: NO_BODY,
  format: 'yaml',
  input: z.object({}),
  output: listOf(SlimSource),
  tool: {
    name: 'data_sources_list',
    endpoint: 'platform',
    description: 'Lists the data sources you may ask, with the columns each can be filtered on.',
  },
})
