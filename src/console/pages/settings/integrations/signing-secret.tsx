import { useState } from 'react'
import { ActButton } from '#console/parts/form/act-button.tsx'
import { useClose } from '#console/parts/form/close-context.ts'
import { Dialog } from '#console/parts/form/dialog.tsx'
import { Opener } from '#console/parts/form/opener.tsx'
import { Copy } from '#console/parts/text/copy.tsx'
import { Time } from '#console/parts/text/time.tsx'
import { type Channel, listChannels } from '#contract/notifications/channels.ts'
import { deleteWebhookSecret, rotateWebhookSecret } from '#contract/notifications/webhook-secret.ts'

/** Lets a webhook sign as Standard Webhooks asks too, with a secret that is shown once. */
export function SigningSecret({ channel }: { channel: Channel }) {
  return (
    <Opener label="Signing secret" of={`of ${channel.label}`} look="small" dialog={<SecretDialog {...channel} />} />
  )
}

function SecretDialog({ id, label, standard_webhooks: state }: Channel) {
  const [secret, setSecret] = useState<string>()
  const close = useClose()
  if (secret !== undefined) return <CopySecret secret={secret} />
  return (
    <Dialog title="Signing secret">
      {state === null ? (
        <p>
          With a secret, requests to <strong>{label}</strong> have the headers of Standard Webhooks too, which libraries
          in most languages verify. The headers made from the URL stay as they are.
        </p>
      ) : (
        <Current {...state} />
      )}
      <footer className="row">
        {state !== null && (
          <ActButton
            op={deleteWebhookSecret}
            input={{ id }}
            changes={[listChannels]}
            done={`Deleted the signing secret of ${label}.`}
            {...(close && { after: close })}
          >
            Delete secret
          </ActButton>
        )}
        <ActButton
          op={rotateWebhookSecret}
          input={{ id }}
          look="main"
          changes={[listChannels]}
          after={(created) => setSecret(created.secret)}
        >
          {state === null ? 'Generate secret' : 'Replace secret'}
        </ActButton>
      </footer>
    </Dialog>
  )
}

function Current({ secret_created_at, former_ends_at }: NonNullable<Channel['standard_webhooks']>) {
  return (
    <>
      <p>
        Requests have been signed with this secret since <Time at={secret_created_at} />.
        {former_ends_at !== null && (
          <>
            {' '}
            The former one goes on signing until <Time at={former_ends_at} />.
          </>
        )}
      </p>
      <p className="soft">
        A replaced secret goes on signing for 24 hours beside the new one. A deleted secret stops at once: a receiver
        that verifies it refuses all further requests.
      </p>
    </>
  )
}

function CopySecret({ secret }: { secret: string }) {
  const close = useClose()
  return (
    <Dialog title="Copy the signing secret">
      <p>It is shown only now. Give it to the receiver, and keep it like a password.</p>
      <Copy text={secret} isBlock />
      <footer className="row">
        <button type="button" className="button main" onClick={close}>
          Done
        </button>
      </footer>
    </Dialog>
  )
}
