import { useState } from 'react'
import { useAct } from '#console/call/use-act.ts'
import { useCall } from '#console/call/use-call.ts'
import { Chip } from '#console/parts/chip.tsx'
import { Fault } from '#console/parts/fault.tsx'
import { Loaded } from '#console/parts/loaded.tsx'
import { Schedule } from '#console/parts/schedule.tsx'
import { Skeleton } from '#console/parts/skeleton.tsx'
import { useHasRole, useSession } from '#console/session/session.ts'
import { listMaintenanceRuns, readMaintenance, startMaintenanceRun } from '#contract/maintenance/runs.ts'
import { SwitchMaintenance } from './switch-maintenance.tsx'

/** Whether the agent looks at this app, and when. Admins switch it and start runs. */
export function AppSwitch({ alias }: { alias: string }) {
  const { me } = useSession()
  const canSwitch = useHasRole('admin') && !me.read_only
  const status = useCall(readMaintenance, { alias })
  const [isAsking, setAsking] = useState(false)
  const run = useAct(startMaintenanceRun, {
    changes: [listMaintenanceRuns, readMaintenance],
    done: ({ outcome }) =>
      outcome === 'skipped' ? 'Skipped: another run holds the app.' : 'Started a run. Its result appears below.',
  })
  return (
    <Loaded of={status} skeleton={<Skeleton rows={3} />}>
      {({ settings }) => (
        <section className="card">
          <h2 className="row">
            Maintenance agent {settings.enabled ? <Chip tone="success">On</Chip> : <Chip tone="plain">Off</Chip>}
          </h2>
          <dl>
            <dt>Model</dt>
            <dd>
              <code>{settings.model}</code>
            </dd>
            <dt>Runs</dt>
            <dd>
              <Schedule cron={settings.nightly_cron} timezone={settings.timezone} />
              {`, at least ${settings.cooldown_hours} hours apart`}
            </dd>
          </dl>
          {canSwitch ? (
            <div className="row">
              {settings.enabled && (
                <button
                  type="button"
                  className="button main"
                  aria-busy={run.isRunning}
                  onClick={() => run.run({ alias, mode: 'manual' })}
                >
                  Run maintenance
                </button>
              )}
              <button
                type="button"
                className={settings.enabled ? 'button' : 'button main'}
                onClick={() => setAsking(true)}
              >
                {settings.enabled ? 'Switch agent off' : 'Switch agent on'}
              </button>
            </div>
          ) : (
            <p className="soft">Admins and owners switch it and start runs.</p>
          )}
          <Fault of={run.error} />
          {isAsking && (
            <SwitchMaintenance alias={alias} isEnabled={settings.enabled} onClose={() => setAsking(false)} />
          )}
        </section>
      )}
    </Loaded>
  )
}
