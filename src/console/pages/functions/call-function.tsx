import { type SubmitEvent, useState } from 'react'
import { explain } from '#console/call/explain.ts'
import { useAct } from '#console/call/use-act.ts'
import { Dialog } from '#console/parts/form/dialog.tsx'
import { Copy } from '#console/parts/text/copy.tsx'
import { useHasRole } from '#console/session/session.ts'
import { type AppFunction, callFunction } from '#contract/functions.ts'
import { ArgumentForm } from './form/argument-form.tsx'
import { type FormState, readForm, startForm } from './form/form-state.ts'
import { readFields } from './form/read-fields.ts'

type Props = { of: AppFunction; onClose: () => void }

/** The schema of a function, its arguments, and what a call returned. */
export function CallFunction({ of, onClose }: Props) {
  const canCall = useHasRole('member')
  return (
    <Dialog title={`${canCall ? 'Call' : 'Function'} ${of.alias}/${of.name}`} onClose={onClose}>
      {of.description !== '' && <p>{of.description}</p>}
      {canCall ? (
        <Form of={of} />
      ) : (
        <p className="soft">Members and above can call functions. Your role only lists them.</p>
      )}
      <details>
        <summary>Schema of the arguments</summary>
        <Copy isBlock text={JSON.stringify(of.input_schema, null, 2)} />
      </details>
    </Dialog>
  )
}

function Form({ of: { alias, name, input_schema, connected } }: { of: AppFunction }) {
  const [fields] = useState(() => readFields(input_schema))
  const [state, setState] = useState(() => startForm(input_schema))
  const [fault, setFault] = useState<string>()
  const [result, setResult] = useState<{ call_id: string; result?: unknown }>()
  const call = useAct(callFunction, { after: setResult })
  const change = (changed: FormState) => {
    setState(changed)
    setFault(undefined)
  }
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (call.isRunning) return
    const read = readForm(state, fields ?? [])
    setResult(undefined)
    setFault('fault' in read ? read.fault : undefined)
    if ('value' in read) call.run({ alias, name, arguments: read.value })
  }
  return (
    <form onSubmit={submit}>
      {!connected && <p className="banner">No worker is connected that runs it, so a call is refused for now.</p>}
      <ArgumentForm
        fields={fields ?? []}
        state={state}
        error={call.error}
        isWrong={fault !== undefined}
        onChange={change}
      />
      {(fault !== undefined || call.error !== null) && (
        <p className="fault" role="alert">
          {fault ?? explain(call.error)}
        </p>
      )}
      <footer className="row">
        <button type="submit" className="button main" aria-busy={call.isRunning}>
          {call.isRunning ? 'Calling…' : 'Call function'}
        </button>
      </footer>
      {result && (
        <section aria-label="Result">
          <p role="status">
            <strong>Result</strong>
          </p>
          <Copy isBlock text={JSON.stringify(result.result, null, 2) ?? 'null'} />
        </section>
      )}
    </form>
  )
}
