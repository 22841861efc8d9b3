import { type SubmitEvent, useState } from 'react'
import { faultOf } from '#console/call/explain.ts'
import { useAct } from '#console/call/use-act.ts'
import { Fault } from '#console/parts/fault.tsx'
import { Field } from '#console/parts/field.tsx'
import { type App, changeApp, listApps, readApp } from '#contract/apps/apps.ts'

/** Name and commands of the app. Without the right to change them they are shown only. */
export function AppCommands({ app, canChange }: { app: App; canChange: boolean }) {
  const [name, setName] = useState(app.name)
  const [build, setBuild] = useState(app.settings.build_command ?? '')
  const [start, setStart] = useState(app.settings.start_command ?? '')
  const [health, setHealth] = useState(app.settings.health_path)
  const change = useAct(changeApp, {
    changes: [readApp, listApps],
    done: () => 'Saved the settings. They take effect with the next deploy.',
  })
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const settings = { build_command: orNull(build), start_command: orNull(start), health_path: health }
    change.run({ alias: app.alias, name, settings })
  }
  const shared = { disabled: !canChange, autoComplete: 'off' }
  return (
    <form className="card" onSubmit={submit}>
      <h2>App</h2>
      <Field {...shared} label="Name" value={name} onChange={setName} required maxLength={100} />
      <Field
        {...shared}
        label="Build command"
        value={build}
        onChange={setBuild}
        maxLength={1000}
        fault={faultOf(change.error, 'settings.build_command')}
        hint="Run in a clean copy of the source. Empty: nothing is built."
      />
      <Field
        {...shared}
        label="Start command"
        value={start}
        onChange={setStart}
        maxLength={1000}
        fault={faultOf(change.error, 'settings.start_command')}
        hint="The app must listen on 127.0.0.1 at $PORT. Empty: the app runs elsewhere."
      />
      <Field
        {...shared}
        label="Health path"
        value={health}
        onChange={setHealth}
        required
        maxLength={500}
        fault={faultOf(change.error, 'settings.health_path')}
        hint="Answers 200 to 399 when the app is healthy."
      />
      <Fault of={change.error} />
      {canChange ? (
        <button type="submit" className="button main" aria-busy={change.isRunning}>
          Save settings
        </button>
      ) : (
        <p className="soft">Admins of the organization and administrators of the app change these.</p>
      )}
    </form>
  )
}

function orNull(text: string): string | null {
  return text.trim() === '' ? null : text
}
