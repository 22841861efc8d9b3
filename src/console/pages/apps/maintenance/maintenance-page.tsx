import { Link } from '@tanstack/react-router'
import { useCall } from '#console/call/use-call.ts'
import { usePages } from '#console/call/use-pages.ts'
import { Empty } from '#console/parts/list/empty.tsx'
import { List } from '#console/parts/list/list.tsx'
import type { Column } from '#console/parts/list/table.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { Time } from '#console/parts/text/time.tsx'
import { useSession } from '#console/session/session.ts'
import { listMaintenanceRuns, type MaintenanceRun } from '#contract/maintenance/runs.ts'
import { readOrgMaintenance } from '#contract/maintenance/settings.ts'
import { AppPage } from '../app-page.tsx'
import { useApp } from '../use-app.ts'
import { AppSwitch } from './app-switch.tsx'
import { Findings } from './findings.tsx'
import { RunChip } from './run-chip.tsx'

/** The maintenance agent of an app: its switch, what it found and its runs. */
export function MaintenancePage() {
  const { alias, isBuilder } = useApp()
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
    { head: 'Summary', cell: ({ summary }) => <span className="cut">{summary}</span>, isPlain: true },
    { head: 'Tokens', cell: ({ tokens_spent }) => tokens_spent.toLocaleString(), isNumber: true, isWide: true },
    { head: 'Model', cell: ({ model }) => <code>{model}</code>, isWide: true },
    { head: 'Started by', cell: ({ mode }) => (mode === 'manual' ? 'hand' : 'night'), isWide: true },
  ]
  return (
    <AppPage section="Maintenance">
      <div className="stack">
        <MaintenanceSwitch alias={alias} />
        {isBuilder && <Findings alias={alias} />}
        <section>
          <div className="part-head">
            <h2>Runs</h2>
            {isBuilder && (
              <Link to="/apps/$alias/changes" params={{ alias }}>
                Proposed changes
              </Link>
            )}
          </div>
          <List
            isStacked
            of={runs}
            caption={`Maintenance runs of ${alias}`}
            columns={columns}
            keyOf={({ execution_id }) => execution_id}
            empty={<p className="soft">No runs yet. Where the agent is on, it looks at the app at night.</p>}
          />
        </section>
      </div>
    </AppPage>
  )
}

/** The switch of the app, where the organization has the agent. */
function MaintenanceSwitch({ alias }: { alias: string }) {
  const { me } = useSession()
  const org = useCall(readOrgMaintenance, { org_id: me.org.id })
  return (
    <Loaded of={org} rows={3}>
      {({ enabled }) =>
        enabled ? (
          <AppSwitch alias={alias} />
        ) : (
          <Empty title="The maintenance agent is off in this organization">
            <p>
              It reads logs, checks and source of an app at night and proposes changes, which people approve. An admin
              switches it on under <a href="/settings/organization/maintenance">Organization settings → Maintenance</a>.
            </p>
          </Empty>
        )
      }
    </Loaded>
  )
}
