import { type SubmitEvent, useState } from 'react'
import { faultOf } from '#console/call/explain.ts'
import { useAct } from '#console/call/use-act.ts'
import { Choice } from '#console/parts/choice.tsx'
import { Copy } from '#console/parts/copy.tsx'
import { Dialog } from '#console/parts/dialog.tsx'
import { Fault } from '#console/parts/fault.tsx'
import { Field } from '#console/parts/field.tsx'
import { FormFoot } from '#console/parts/form-foot.tsx'
import { createToken, listTokens } from '#contract/auth/tokens.ts'

const LIFETIMES = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'A year' },
  { value: 'never', label: 'Never' },
] as const
type Lifetime = (typeof LIFETIMES)[number]['value']

const DAY_MS = 86_400_000

/** Creates a token and shows it once. */
export function CreateToken({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [lifetime, setLifetime] = useState<Lifetime>('90')
  const [token, setToken] = useState<string>()
  const create = useAct(createToken, { changes: [listTokens], after: (created) => setToken(created.token) })
  if (token !== undefined) return <Shown token={token} onClose={onClose} />
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    create.run({ name, ...expiryOf(lifetime) })
  }
  const nameFault = faultOf(create.error, 'name')
  return (
    <Dialog title="Create API token" onClose={onClose}>
      <form onSubmit={submit}>
        <Field
          label="Name"
          value={name}
          onChange={setName}
          required
          maxLength={100}
          hint="Where it will be used, such as laptop or nightly report"
          fault={nameFault}
        />
        <Choice label="Expires" value={lifetime} options={LIFETIMES} onChange={setLifetime} />
        {nameFault === undefined && <Fault of={create.error} />}
        <FormFoot act="Create API token" isRunning={create.isRunning} onClose={onClose} />
      </form>
    </Dialog>
  )
}

function Shown({ token, onClose }: { token: string; onClose: () => void }) {
  return (
    <Dialog title="Copy your API token" onClose={onClose}>
      <p>It is shown only now. Keep it like a password.</p>
      <Copy text={token} isBlock />
      <footer className="row">
        <button type="button" className="button main" onClick={onClose}>
          Done
        </button>
      </footer>
    </Dialog>
  )
}

function expiryOf(lifetime: Lifetime): { expires_at?: string } {
  if (lifetime === 'never') return {}
  return { expires_at: new Date(Date.now() + Number(lifetime) * DAY_MS).toISOString() }
}
