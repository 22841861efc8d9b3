import { useCall } from '#console/call/use-call.ts'
import { ActButton } from '#console/parts/form/act-button.tsx'
import { AskButton } from '#console/parts/form/ask-button.tsx'
import { Chip } from '#console/parts/list/chip.tsx'
import { Facts } from '#console/parts/list/facts.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { Schedule } from '#console/parts/text/schedule.tsx'
import { useHasRole, useSession } from '#console/session/session.ts'
import { listMaintenanceRuns, readMaintenance, startMaintenanceRun } from '#contract/maintenance/runs.ts'
import { changeAppMaintenance } from '#contract/maintenance/settings.ts'
import { ModelProposesNothing } from '../changes/why-no-proposals.tsx'
import { NotTold } from './not-told.tsx'

/** Whether the agent looks at this app, and when. Admins switch it and start runs. */
export function AppSwitch({ alias }: { alias: string }) {
  const { me } = useSession()
  const canSwitch = useHasRole('admin') && !me.read_only
  const status = useCall(readMaintenance, { alias })
  return (
    <Loaded of={status} rows={3}>
      {({ settings }) => (
        <section className="card">
          <h2 className="row">
            Maintenance agent {settings.enabled ? <Chip tone="success">On</Chip> : <Chip tone="plain">Off</Chip>}
          </h2>
          <Facts
            of={{
              Model: <code>{settings.model}</code>,
              Runs: (
                <>
                  <Schedule cron={settings.nightly_cron} timezone={settings.timezone} />
                  {`, at least ${settings.cooldown_hours} hours apart`}
                </>
              ),
            }}
          />
          <ModelProposesNothing model={settings.model} />
          {settings.enabled && <NotTold alias={alias} />}
          {canSwitch ? (
            <div className="row">
              {settings.enabled && (
                <ActButton
                  op={startMaintenanceRun}
                  input={{ alias, mode: 'manual' }}
                  look="main"
                  changes={[listMaintenanceRuns, readMaintenance]}
                  done={({ outcome }) =>
                    outcome === 'skipped'
                      ? 'Skipped: another run holds the app.'
                      : 'Started a run. Its result appears below.'
                  }
                >
                  Run maintenance
                </ActButton>
              )}
              <SwitchMaintenance alias={alias} isEnabled={settings.enabled} />
            </div>
          ) : (
            <p className="soft">Admins and owners switch it and start runs.</p>
          )}
        </section>
      )}
    </Loaded>
  )
}

/** Asks before the agent is switched on or off for an app. */
function SwitchMaintenance({ alias, isEnabled }: { alias: string; isEnabled: boolean }) {
  return (
    <AskButton
      look={isEnabled ? '' : 'main'}
      title={isEnabled ? 'Switch agent off' : 'Switch agent on'}
      op={changeAppMaintenance}
      input={{ alias, enabled: !isEnabled }}
      changes={[readMaintenance, listMaintenanceRuns]}
      done={({ enabled }) => `The maintenance agent is ${enabled ? 'on' : 'off'} for ${alias}.`}
    >
      {isEnabled ? (
        <p>
          A run of <strong>{alias}</strong> that is under way stops at once: it writes, reads and spends nothing any
          more. Its history stays.
        </p>
      ) : (
        <p>
          From the next night on, the agent reads the logs, checks and source of <strong>{alias}</strong> and sends
          parts of them to the model. It changes nothing by itself: proposals wait for a person.
        </p>
      )}
    </AskButton>
  )
}
