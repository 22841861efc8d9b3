import { useNames } from '#console/call/use-names.ts'
import { usePages } from '#console/call/use-pages.ts'
import { Chip } from '#console/parts/chip.tsx'
import { durationText } from '#console/parts/duration.ts'
import { Loaded } from '#console/parts/loaded.tsx'
import { LongTable } from '#console/parts/long-table.tsx'
import type { Column } from '#console/parts/table.tsx'
import { Time } from '#console/parts/time.tsx'
import { type CheckRun, listCheckRuns } from '#contract/checks/checks.ts'
import { showVerdict } from './check-words.ts'

const columnsOf = (nameOf: (userId: string) => string): readonly Column<CheckRun>[] => [
  { head: 'Result', cell: (run) => <Result run={run} /> },
  { head: 'When', cell: ({ created_at }) => <Time at={created_at} /> },
  { head: 'Reason', cell: ({ detail }) => <span className="cut">{detail}</span> },
  { head: 'Took', cell: (run) => <Took run={run} />, isNumber: true, isWide: true },
  { head: 'Tokens', cell: ({ tokens }) => tokens?.toLocaleString() ?? '', isNumber: true, isWide: true },
  {
    head: 'Started by',
    cell: ({ requested_by }) => (requested_by === null ? 'schedule' : nameOf(requested_by)),
    isWide: true,
  },
]

export function CheckRuns({ alias, checkId }: { alias: string; checkId: string }) {
  const runs = usePages(listCheckRuns, { alias, check: checkId }, { whileAny: ({ state }) => state !== 'ended' })
  const nameOf = useNames(runs.data?.map(({ requested_by }) => requested_by) ?? [])
  return (
    <section>
      <h2>Runs</h2>
      <Loaded of={runs}>
        {(items) =>
          items.length === 0 ? (
            <p className="soft">No runs yet.</p>
          ) : (
            <LongTable
              caption="Runs of the check"
              columns={columnsOf(nameOf)}
              rows={items}
              keyOf={({ id }) => id}
              loadMore={runs.loadMore}
              isLoadingMore={runs.isLoadingMore}
            />
          )
        }
      </Loaded>
    </section>
  )
}

function Result({ run: { verdict, state } }: { run: CheckRun }) {
  if (verdict === null) return <Chip tone="running">{state === 'queued' ? 'Queued' : 'Running'}</Chip>
  const { word, tone } = showVerdict(verdict)
  return <Chip tone={tone}>{word}</Chip>
}

function Took({ run: { started_at, ended_at } }: { run: CheckRun }) {
  if (started_at === null || ended_at === null) return null
  return durationText((Date.parse(ended_at) - Date.parse(started_at)) / 1000)
}
