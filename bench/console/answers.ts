import type { z } from 'zod'
import { type ActivityRecord, type ActivityStatistics, activityStatistics, listActivity } from '#contract/activity.ts'
import { me } from '#contract/auth/members.ts'
import { platformMetadata } from '#contract/mcp.ts'

const DAYS = 8
const SOURCES = ['db_handbook', 'db_prices', 'db_tickets']
const NAMES = ['Ada Lovelace', 'Ben Okri', 'Chen Wei', 'Dana Scully']
const STATUSES = [200, 200, 200, 403, 503, null]
const BEGAN = Date.UTC(2026, 0, 31)

/** Answers the reads of the console as an organization with `rows` questions does. Everything else is an empty list. */
export function answer(url: URL, rows: number): unknown {
  if (url.pathname === me.path) return ME
  if (url.pathname === activityStatistics.path) return statistics()
  if (url.pathname === platformMetadata.path) return { resource: `${url.origin}/mcp/platform` }
  if (url.pathname === listActivity.path) return activity(url.searchParams, rows)
  return { items: [], next_cursor: null }
}

const ME: z.infer<typeof me.output> = {
  kind: 'user',
  user: { id: 'usr_1', email: 'ada@example.com', name: 'Ada Lovelace' },
  org: { id: 'org_1', name: 'Analytical Engines', slug: 'engines' },
  role: 'admin',
  read_only: false,
}

function activity(search: URLSearchParams, rows: number): z.infer<typeof listActivity.output> {
  const from = Number(search.get('cursor') ?? 0)
  const end = Math.min(rows, from + Number(search.get('limit') ?? 50))
  const items = Array.from({ length: end - from }, (_, index) => record(from + index))
  return { items, next_cursor: end < rows ? String(end) : null }
}

function record(row: number): ActivityRecord {
  const status = STATUSES[row % STATUSES.length]!
  return {
    id: `act_${row}`,
    target: SOURCES[row % SOURCES.length]!,
    source: 'mcp',
    principal: { kind: 'agent', id: 'grt_1' },
    user_id: `usr_${row % NAMES.length}`,
    user_name: NAMES[row % NAMES.length]!,
    asked_at: new Date(BEGAN - row * 60_000).toISOString(),
    duration_ms: status === null ? null : 20 + (row % 300),
    answer_bytes: status === null ? null : 1_000 + row,
    status,
  }
}

function statistics(): ActivityStatistics {
  const counts = Array.from({ length: DAYS }, (_, day) => 10 + day)
  return {
    buckets: counts.map((total, day) => ({
      start: new Date(BEGAN + day * 86_400_000).toISOString(),
      total,
      by_source: { mcp: total, cli: 0, api: 0 },
      by_outcome: { answered: total, refused: 0, failed: 0, unknown: 0 },
      p50_ms: 40,
      p95_ms: 200,
    })),
    targets: [{ target: 'db_handbook', total: counts.reduce((sum, count) => sum + count, 0), counts }],
    people: NAMES.map((user_name, index) => ({
      user_id: `usr_${index}`,
      user_name,
      total: 9 - index,
      failed: 0,
      most_called: 'db_handbook',
    })),
  }
}
