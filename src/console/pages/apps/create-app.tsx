import { useNavigate } from '@tanstack/react-router'
import { Field } from '#console/parts/form/field.tsx'
import { FormDialog } from '#console/parts/form/form-dialog.tsx'
import { createApp, listApps } from '#contract/apps/apps.ts'

const START = 'settings.start_command'

export function CreateApp() {
  const navigate = useNavigate()
  return (
    <FormDialog
      title="Create app"
      op={createApp}
      fields={{ alias: '', [START]: '' }}
      input={({ alias, [START]: start }) => ({
        alias,
        settings: start.trim() === '' ? {} : { start_command: start },
      })}
      changes={[listApps]}
      done={(app) => `Created ${app.name}.`}
      after={(app) => void navigate({ to: '/apps/$alias', params: { alias: app.alias } })}
    >
      <Field
        label="Alias"
        name="alias"
        required
        autoComplete="off"
        hint="Its name in commands and in its address. It cannot be changed later."
      />
      <Field
        label="Start command"
        name={START}
        autoComplete="off"
        placeholder="node server.js"
        hint="The app must listen on 127.0.0.1 at $PORT. Leave it empty for an app that runs elsewhere."
      />
    </FormDialog>
  )
}
