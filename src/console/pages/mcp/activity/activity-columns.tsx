import { Link } from '@tanstack/react-router'
import { Chip } from '#console/parts/list/chip.tsx'
import type { Column } from '#console/parts/list/table.tsx'
import { sizeText } from '#console/parts/text/size.ts'
import { Time } from '#console/parts/text/time.tsx'
import type { ActivityRecord, CallOutcome } from '#contract/activity.ts'
import type { PrincipalKind } from '#contract/core/principal.ts'
import { latencyText, outcomeOf } from './outcome.ts'

const OUTCOMES: Record<CallOutcome, { tone: 'success' | 'attention' | 'failure' | 'unknown'; text: string }> = {
  answered: { tone: 'success', text: 'Answered' },
  refused: { tone: 'attention', text: 'Refused' },
  failed: { tone: 'failure', text: 'Failed' },
  unknown: { tone: 'unknown', text: 'Unknown' },
}

/** Callers that act for no person. */
const CALLERS: Partial<Record<PrincipalKind, string>> = { workload: 'an app', run: 'maintenance agent' }

const TARGET: Column<ActivityRecord> = { head: 'Target', cell: ({ target }) => <Target target={target} /> }

/** Columns of a call without its target, for the page of one source. */
export const CALL_COLUMNS: readonly Column<ActivityRecord>[] = [
  { head: 'Person', cell: (record) => <Person record={record} />, isPlain: true },
  { head: 'Result', cell: ({ status }) => <Outcome status={status} /> },
  { head: 'When', cell: ({ asked_at }) => <Time at={asked_at} /> },
  { head: 'Source', cell: ({ source }) => source, isWide: true },
  {
    head: 'Duration',
    cell: (record) => <Figure value={record.duration_ms} as={latencyText} />,
    isNumber: true,
    isWide: true,
  },
  {
    head: 'Answer',
    cell: (record) => <Figure value={record.answer_bytes} as={sizeText} />,
    isNumber: true,
    isWide: true,
  },
]

export const ACTIVITY_COLUMNS: readonly Column<ActivityRecord>[] = [TARGET, ...CALL_COLUMNS]

function Target({ target }: { target: string }) {
  if (!target.startsWith('db_')) return target === 'unknown' ? <Chip tone="unknown">No such source</Chip> : target
  return (
    <Link to="/mcp/sources/$id" params={{ id: target }}>
      {target.slice('db_'.length)}
    </Link>
  )
}

function Person({ record: { user_id, user_name, principal } }: { record: ActivityRecord }) {
  if (user_id === null) return <span className="soft">{CALLERS[principal.kind] ?? 'nobody'}</span>
  if (user_name === null) return <span className="soft">a former member</span>
  return user_name
}

function Outcome({ status }: { status: number | null }) {
  const { tone, text } = OUTCOMES[outcomeOf(status)]
  return <Chip tone={tone}>{status === null || tone === 'success' ? text : `${text} ${status}`}</Chip>
}

/** A figure, or that it was lost: the process ended between the call and its answer. */
function Figure({ value, as }: { value: number | null; as: (value: number) => string }) {
  return value === null ? <span className="soft">unknown</span> : as(value)
}
