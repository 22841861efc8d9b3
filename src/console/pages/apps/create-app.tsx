import { useNavigate } from '@tanstack/react-router'
import { type SubmitEvent, useState } from 'react'
import { faultOf } from '#console/call/explain.ts'
import { useAct } from '#console/call/use-act.ts'
import { Dialog } from '#console/parts/dialog.tsx'
import { Fault } from '#console/parts/fault.tsx'
import { Field } from '#console/parts/field.tsx'
import { FormFoot } from '#console/parts/form-foot.tsx'
import { createApp, listApps } from '#contract/apps/apps.ts'

export function CreateApp({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const [alias, setAlias] = useState('')
  const [start, setStart] = useState('')
  const create = useAct(createApp, {
    changes: [listApps],
    done: (app) => `Created ${app.name}.`,
    after: (app) => void navigate({ to: '/apps/$alias', params: { alias: app.alias } }),
  })
  const aliasFault = faultOf(create.error, 'alias')
  const startFault = faultOf(create.error, 'settings.start_command')
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    create.run({ alias, settings: start.trim() === '' ? {} : { start_command: start } })
  }
  return (
    <Dialog title="Create app" onClose={onClose}>
      <form onSubmit={submit}>
        <Field
          label="Alias"
          value={alias}
          onChange={setAlias}
          required
          maxLength={30}
          autoComplete="off"
          fault={aliasFault}
          hint="Its name in commands and in its address. It cannot be changed later."
        />
        <Field
          label="Start command"
          value={start}
          onChange={setStart}
          maxLength={1000}
          autoComplete="off"
          placeholder="node server.js"
          fault={startFault}
          hint="The app must listen on 127.0.0.1 at $PORT. Leave it empty for an app that runs elsewhere."
        />
        {aliasFault === undefined && startFault === undefined && <Fault of={create.error} />}
        <FormFoot act="Create app" isRunning={create.isRunning} onClose={onClose} />
      </form>
    </Dialog>
  )
}
