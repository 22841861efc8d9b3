import { useAct } from '#console/call/use-act.ts'
import { Confirm } from '#console/parts/confirm.tsx'
import { Time } from '#console/parts/time.tsx'
import { endOwnSession, listSessions } from '#contract/auth/sign-in.ts'

type Props = { session: { readonly id: string; readonly created_at: string }; onClose: () => void }

/** Asks before another browser or program is signed out. */
export function EndSession({ session, onClose }: Props) {
  const end = useAct(endOwnSession, { changes: [listSessions], done: () => 'The session has ended.', after: onClose })
  return (
    <Confirm
      title="End session"
      isRunning={end.isRunning}
      error={end.error}
      onConfirm={() => end.run({ id: session.id })}
      onClose={onClose}
    >
      <p>
        The browser or program that signed in <Time at={session.created_at} /> is signed out at once. Whoever uses it
        has to sign in again.
      </p>
    </Confirm>
  )
}
