import { useNames } from '#console/call/use-names.ts'
import { usePages } from '#console/call/use-pages.ts'
import { Chip, StatusChip } from '#console/parts/list/chip.tsx'
import { LongList } from '#console/parts/list/long-list.tsx'
import type { Column } from '#console/parts/list/table.tsx'
import { tookText } from '#console/parts/text/duration.ts'
import { Time } from '#console/parts/text/time.tsx'
import { type CheckRun, listCheckRuns } from '#contract/checks/checks.ts'
import { VERDICTS } from './describe-check.ts'

const TOKENS: Column<CheckRun> = {
  head: 'Tokens',
  cell: ({ tokens }) => tokens?.toLocaleString() ?? '',
  isNumber: true,
  isWide: true,
}

const columnsOf = (nameOf: (userId: string) => string, hasTokens: boolean): readonly Column<CheckRun>[] => [
  { head: 'Result', cell: (run) => <Result run={run} /> },
  { head: 'When', cell: ({ created_at }) => <Time at={created_at} /> },
  { head: 'Reason', cell: ({ detail }) => <span className="cut">{detail}</span> },
  { head: 'Took', cell: ({ started_at, ended_at }) => tookText(started_at, ended_at), isNumber: true, isWide: true },
  ...(hasTokens ? [TOKENS] : []),
  {
    head: 'Started by',
    cell: ({ requested_by }) => (requested_by === null ? 'schedule' : nameOf(requested_by)),
    isWide: true,
  },
]

export function CheckRuns({ alias, checkId }: { alias: string; checkId: string }) {
  const runs = usePages(listCheckRuns, { alias, check: checkId }, { whileAny: ({ state }) => state !== 'ended' })
  const nameOf = useNames(runs.data?.map(({ requested_by }) => requested_by) ?? [])
  // Only checks by a model use tokens.
  const hasTokens = runs.data?.some(({ tokens }) => tokens !== null) ?? false
  return (
    <section>
      <h2>Runs</h2>
      <LongList
        of={runs}
        caption="Runs of the check"
        columns={columnsOf(nameOf, hasTokens)}
        keyOf={({ id }) => id}
        empty={<p className="soft">No runs yet.</p>}
      />
    </section>
  )
}

function Result({ run: { verdict, state } }: { run: CheckRun }) {
  if (verdict === null) return <Chip tone="running">{state === 'queued' ? 'Queued' : 'Running'}</Chip>
  return <StatusChip of={VERDICTS[verdict]} />
}
