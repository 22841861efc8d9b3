import { type SubmitEvent, useState } from 'react'
import { faultOf } from '#console/call/explain.ts'
import { useAct } from '#console/call/use-act.ts'
import { useCall } from '#console/call/use-call.ts'
import { Confirm } from '#console/parts/confirm.tsx'
import { cronWords } from '#console/parts/cron-words.ts'
import { Fault } from '#console/parts/fault.tsx'
import { Field } from '#console/parts/field.tsx'
import { Loaded } from '#console/parts/loaded.tsx'
import { Page } from '#console/parts/page.tsx'
import { Schedule } from '#console/parts/schedule.tsx'
import { useHasRole, useSession } from '#console/session/session.ts'
import { changeOrgMaintenance, type OrgMaintenance, readOrgMaintenance } from '#contract/maintenance/settings.ts'
import { OrganizationTabs } from './tabs.tsx'
import { TokenSpend } from './token-spend.tsx'

/** Whether the maintenance agent may work for the organization, with which model and when. */
export function OrganizationMaintenancePage() {
  const { me } = useSession()
  const settings = useCall(readOrgMaintenance, { org_id: me.org.id })
  const isAdmin = useHasRole('admin')
  return (
    <Page title="Organization settings">
      <OrganizationTabs />
      <Loaded of={settings}>
        {(saved) => (
          <div className="stack">
            <section className="card">
              <h2>Maintenance agent: {saved.enabled ? 'on' : 'off'}</h2>
              <p className="soft">
                At night it reads logs, source and checks of the apps that have it switched on, and at most proposes a
                change. It never deploys: a person who is not its author decides. Switching it on here enables no app.
              </p>
              {isAdmin ? <Form key={JSON.stringify(saved)} saved={saved} /> : <Facts saved={saved} />}
            </section>
            {isAdmin && <TokenSpend />}
          </div>
        )}
      </Loaded>
    </Page>
  )
}

function Facts({ saved }: { saved: OrgMaintenance }) {
  return (
    <dl>
      <dt>Model</dt>
      <dd>{saved.model ?? 'none chosen'}</dd>
      <dt>Runs begin</dt>
      <dd>
        <Schedule cron={saved.nightly_cron} timezone={saved.timezone} />
      </dd>
      <dt>Least time between runs</dt>
      <dd>{saved.cooldown_hours} hours</dd>
    </dl>
  )
}

function Form({ saved }: { saved: OrgMaintenance }) {
  const { me } = useSession()
  const [model, setModel] = useState(saved.model ?? 'builtin/detectors')
  const [cron, setCron] = useState(saved.nightly_cron)
  const [timezone, setTimezone] = useState(saved.timezone)
  const [cooldown, setCooldown] = useState(String(saved.cooldown_hours))
  const [isStopping, setStopping] = useState(false)
  const change = useAct(changeOrgMaintenance, {
    changes: [readOrgMaintenance],
    done: ({ enabled }) => (enabled ? 'Saved. The maintenance agent is on.' : 'The maintenance agent is off.'),
    after: () => setStopping(false),
  })
  const save = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const settings = { model, nightly_cron: cron, timezone, cooldown_hours: Number(cooldown) }
    change.run({ org_id: me.org.id, enabled: true, ...settings })
  }
  const fault = (field: string) => faultOf(change.error, field)
  const isNamed = ['model', 'nightly_cron', 'timezone', 'cooldown_hours'].some((field) => fault(field) !== undefined)
  return (
    <>
      <form onSubmit={save}>
        <Field
          label="Model"
          value={model}
          onChange={setModel}
          required
          hint="provider/model. builtin/detectors needs no key and spends no tokens"
          fault={fault('model')}
        />
        <Field
          label="Runs begin"
          value={cron}
          onChange={setCron}
          hint={cronWords(cron) ?? 'Five cron fields: minute, hour, day, month, day of the week'}
          fault={fault('nightly_cron')}
        />
        <Field
          label="Timezone"
          value={timezone}
          onChange={setTimezone}
          hint="Such as Europe/Berlin"
          fault={fault('timezone')}
        />
        <Field
          label="Least hours between two runs of an app"
          type="number"
          min={0}
          max={744}
          value={cooldown}
          onChange={setCooldown}
          fault={fault('cooldown_hours')}
        />
        {!isNamed && <Fault of={change.error} />}
        <div className="row">
          <button type="submit" className="button main" aria-busy={change.isRunning}>
            {saved.enabled ? 'Save settings' : 'Switch on'}
          </button>
          {saved.enabled && (
            <button type="button" className="button danger" onClick={() => setStopping(true)}>
              Switch off
            </button>
          )}
        </div>
      </form>
      {isStopping && (
        <Confirm
          title="Switch off"
          isRunning={change.isRunning}
          error={change.error}
          onConfirm={() => change.run({ org_id: me.org.id, enabled: false })}
          onClose={() => setStopping(false)}
        >
          <p>Every app is switched off and running runs stop at once. Their history and proposals stay.</p>
        </Confirm>
      )}
    </>
  )
}
