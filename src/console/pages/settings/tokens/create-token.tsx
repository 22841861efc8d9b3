import { useState } from 'react'
import { ChoiceField } from '#console/parts/form/choice-field.tsx'
import { useClose } from '#console/parts/form/close-context.ts'
import { Dialog } from '#console/parts/form/dialog.tsx'
import { Field } from '#console/parts/form/field.tsx'
import { FormDialog } from '#console/parts/form/form-dialog.tsx'
import { Copy } from '#console/parts/text/copy.tsx'
import { createToken, listTokens } from '#contract/auth/tokens.ts'

const LIFETIMES = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'A year' },
  { value: 'never', label: 'Never' },
] as const
type Lifetime = (typeof LIFETIMES)[number]['value']

const EMPTY: { name: string; lifetime: Lifetime } = { name: '', lifetime: '90' }

const DAY_MS = 86_400_000

/** Creates a token and shows it once. */
export function CreateToken() {
  const [token, setToken] = useState<string>()
  if (token !== undefined) return <CopyToken token={token} />
  return (
    <FormDialog
      title="Create API token"
      op={createToken}
      fields={EMPTY}
      input={({ name, lifetime }) => ({ name, ...expiryOf(lifetime) })}
      changes={[listTokens]}
      after={(created) => setToken(created.token)}
    >
      <Field label="Name" name="name" required hint="Where it will be used, such as laptop or nightly report" />
      <ChoiceField label="Expires" name="lifetime" options={LIFETIMES} />
    </FormDialog>
  )
}

function CopyToken({ token }: { token: string }) {
  const close = useClose()
  return (
    <Dialog title="Copy your API token">
      <p>It is shown only now. Keep it like a password.</p>
      <Copy text={token} isBlock />
      <footer className="row">
        <button type="button" className="button main" onClick={close}>
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
