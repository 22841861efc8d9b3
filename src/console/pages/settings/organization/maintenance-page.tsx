import { useCall } from '#console/call/use-call.ts'
import { ActForm } from '#console/parts/form/act-form.tsx'
import { AskButton } from '#console/parts/form/ask-button.tsx'
import { Field } from '#console/parts/form/field.tsx'
import { Facts } from '#console/parts/list/facts.tsx'
import { Loaded } from '#console/parts/page/loaded.tsx'
import { cronWords } from '#console/parts/text/describe-cron.ts'
import { Schedule } from '#console/parts/text/schedule.tsx'
import { useHasRole, useSession } from '#console/session/session.ts'
import { changeOrgMaintenance, type OrgMaintenance, readOrgMaintenance } from '#contract/maintenance/settings.ts'
import { OrganizationPage } from './organization-page.tsx'
import { TokenSpend } from './token-spend.tsx'

/** Whether the maintenance agent may work for the organization, with which model and when. */
export function OrganizationMaintenancePage() {
  const { me } = useSession()
  const settings = useCall(readOrgMaintenance, { org_id: me.org.id })
  const isAdmin = useHasRole('admin')
  return (
    <OrganizationPage>
      <Loaded of={settings}>
        {(saved) => (
          <div className="stack">
            <section className="card">
              <h2>Maintenance agent: {saved.enabled ? 'on' : 'off'}</h2>
              <p className="soft">
                At night it reads logs, source and checks of the apps that have it switched on, and at most proposes a
                change. It never deploys: a person who is not its author decides. Switching it on here enables no app.
              </p>
              {isAdmin ? <Form key={JSON.stringify(saved)} saved={saved} /> : <Saved saved={saved} />}
            </section>
            {isAdmin && <TokenSpend />}
          </div>
        )}
      </Loaded>
    </OrganizationPage>
  )
}

function Saved({ saved }: { saved: OrgMaintenance }) {
  return (
    <Facts
      of={{
        Model: saved.model ?? 'none chosen',
        'Runs begin': <Schedule cron={saved.nightly_cron} timezone={saved.timezone} />,
        'Least time between runs': `${saved.cooldown_hours} hours`,
      }}
    />
  )
}

function Form({ saved }: { saved: OrgMaintenance }) {
  const { me } = useSession()
  const org_id = me.org.id
  const switchOff = saved.enabled && (
    <AskButton
      look="danger"
      title="Switch off"
      op={changeOrgMaintenance}
      input={{ org_id, enabled: false }}
      changes={[readOrgMaintenance]}
      done="The maintenance agent is off."
    >
      <p>Every app is switched off and running runs stop at once. Their history and proposals stay.</p>
    </AskButton>
  )
  return (
    <ActForm
      className="pairs"
      op={changeOrgMaintenance}
      fields={{
        model: saved.model ?? 'builtin/detectors',
        nightly_cron: saved.nightly_cron,
        timezone: saved.timezone,
        cooldown_hours: String(saved.cooldown_hours),
      }}
      input={(typed) => ({ org_id, enabled: true, ...typed, cooldown_hours: Number(typed.cooldown_hours) })}
      changes={[readOrgMaintenance]}
      done="Saved. The maintenance agent is on."
      submit={saved.enabled ? 'Save settings' : 'Switch on'}
      foot={(button) => (
        <div className="row">
          {button}
          {switchOff}
        </div>
      )}
    >
      {({ nightly_cron }) => (
        <>
          <Field
            label="Model"
            name="model"
            required
            hint="provider/model. builtin/detectors needs no key and spends no tokens, records findings and never proposes a change"
          />
          <Field
            label="Runs begin"
            name="nightly_cron"
            hint={cronWords(nightly_cron) ?? 'Five cron fields: minute, hour, day, month, day of the week'}
          />
          <Field label="Timezone" name="timezone" hint="Such as Europe/Berlin" />
          <Field label="Least hours between two runs of an app" name="cooldown_hours" type="number" />
        </>
      )}
    </ActForm>
  )
}
