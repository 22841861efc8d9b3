import { Link } from '@tanstack/react-router'
import { usePages } from '#console/call/use-pages.ts'
import { Loaded } from '#console/parts/loaded.tsx'
import { More } from '#console/parts/more.tsx'
import { type Column, Table } from '#console/parts/table.tsx'
import { Time } from '#console/parts/time.tsx'
import { listMaintenanceRuns, type MaintenanceRun } from '#contract/maintenance/runs.ts'
import { AppPage } from '../app-page.tsx'
import { useAlias } from '../use-alias.ts'
import { useApp } from '../use-app.ts'
import { MaintenanceSwitch } from './maintenance-switch.tsx'
import { RunChip } from './run-chip.tsx'

/** The maintenance agent of an app: its switch and its runs. */
export function MaintenancePage() {
  const alias = useAlias()
  const { isBuilder } = useApp(alias)
  const runs = usePages(listMaintenanceRuns, { alias }, { whileAny: ({ status }) => status !== 'ended' })
  const columns: readonly Column<MaintenanceRun>[] = [
    {
      head: 'Result',
      cell: (run) => (
        <Link to="/apps/$alias/maintenance/$executionId" params={{ alias, executionId: run.execution_id }}>
          <RunChip run={run} />
        </Link>
      ),
    },
    { head: 'When', cell: ({ created_at }) => <Time at={created_at} /> },
    { head: 'Summary', cell: ({ summary }) => <span className="cut">{summary}</span>, isWide: true },
    { head: 'Tokens', cell: ({ tokens_spent }) => tokens_spent.toLocaleString(), isNumber: true, isWide: true },
    { head: 'Model', cell: ({ model }) => <code>{model}</code>, isWide: true },
    { head: 'Started by', cell: ({ mode }) => (mode === 'manual' ? 'hand' : 'night'), isWide: true },
  ]
  return (
    <AppPage section="Maintenance">
      <div className="stack">
        <MaintenanceSwitch alias={alias} />
        <section>
          <div className="row spread">
            <h2>Runs</h2>
            {isBuilder && (
              <Link to="/apps/$alias/changes" params={{ alias }}>
                Proposed changes
              </Link>
            )}
          </div>
          <Loaded of={runs}>
            {(items) =>
              items.length === 0 ? (
                <p className="soft">No runs yet. Where the agent is on, it looks at the app at night.</p>
              ) : (
                <>
                  <Table
                    caption={`Maintenance runs of ${alias}`}
                    columns={columns}
                    rows={items}
                    keyOf={({ execution_id }) => execution_id}
                  />
                  <More of={runs} />
                </>
              )
            }
          </Loaded>
        </section>
      </div>
    </AppPage>
  )
}
