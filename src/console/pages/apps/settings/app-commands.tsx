import { ActForm } from '#console/parts/form/act-form.tsx'
import { Field } from '#console/parts/form/field.tsx'
import { type App, changeApp, listApps, readApp } from '#contract/apps/apps.ts'

const BUILD = 'settings.build_command'
const START = 'settings.start_command'
const HEALTH = 'settings.health_path'

/** Name and commands of the app. Without the right to change them they are shown only. */
export function AppCommands({ app, canChange }: { app: App; canChange: boolean }) {
  const { build_command, start_command, health_path } = app.settings
  const shared = { disabled: !canChange, autoComplete: 'off' }
  return (
    <ActForm
      className="card pairs"
      op={changeApp}
      fields={{ name: app.name, [BUILD]: build_command ?? '', [START]: start_command ?? '', [HEALTH]: health_path }}
      input={({ name, [BUILD]: build, [START]: start, [HEALTH]: health }) => ({
        alias: app.alias,
        name,
        settings: { build_command: orNull(build), start_command: orNull(start), health_path: health },
      })}
      changes={[readApp, listApps]}
      done="Saved the settings. They take effect with the next deploy."
      submit="Save settings"
      foot={(button) =>
        canChange ? (
          button
        ) : (
          <p className="soft">Admins of the organization and administrators of the app change these.</p>
        )
      }
    >
      <h2>App</h2>
      <Field {...shared} label="Name" name="name" required />
      <Field
        {...shared}
        label="Build command"
        name={BUILD}
        hint="Run in a clean copy of the source. Empty: nothing is built."
      />
      <Field
        {...shared}
        label="Start command"
        name={START}
        hint="The app must listen on 127.0.0.1 at $PORT. Empty: the app runs elsewhere."
      />
      <Field
        {...shared}
        label="Health path"
        name={HEALTH}
        required
        hint="Answers 200 to 399 when the app is healthy."
      />
    </ActForm>
  )
}

function orNull(text: string): string | null {
  return text.trim() === '' ? null : text
}
