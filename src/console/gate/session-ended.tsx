import { useEffect } from 'react'
import { me as readMe } from '#contract/auth/members.ts'
import { Dialog } from '../parts/form/dialog.tsx'
import { connect } from '../session/api.ts'
import { identityOf } from '../session/session.ts'

type Props = { identity: string; onBack: () => void; onOther: () => void }

/** Asks to sign in again in another tab, so that what was typed into a form on this page is kept. */
export function SessionEnded({ identity, onBack, onOther }: Props) {
  useEffect(() => {
    const look = async () => {
      const me = await connect()
        .call(readMe, {})
        .catch(() => undefined)
      if (me) (identityOf(me) === identity ? onBack : onOther)()
    }
    const channel = new BroadcastChannel('svc-session')
    channel.addEventListener('message', () => void look())
    const onVisible = () => void (document.visibilityState === 'visible' && look())
    addEventListener('focus', onVisible)
    document.addEventListener('visibilitychange', onVisible)
    return () => {
      channel.close()
      removeEventListener('focus', onVisible)
      document.removeEventListener('visibilitychange', onVisible)
    }
  }, [identity, onBack, onOther])
  return (
    <Dialog title="Your session ended">
      <p>Sign in again in a new tab, then come back. What you typed here is kept.</p>
      <p className="row">
        <a className="button main" href="/auth/login?return_to=/signed-in" target="_blank" rel="noopener">
          Sign in in a new tab
        </a>
      </p>
    </Dialog>
  )
}
