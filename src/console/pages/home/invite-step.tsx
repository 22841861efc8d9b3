import { Link } from '@tanstack/react-router'
import { useCall } from '#console/call/use-call.ts'
import { signInMethods } from '#contract/auth/sign-in.ts'
import { Step } from './step.tsx'

export function InviteStep({ isDone }: { isDone: boolean }) {
  const { data } = useCall(signInMethods, {}, { enabled: !isDone })
  return (
    <Step title="Invite a colleague" isDone={isDone}>
      {data && (data.providers.length > 0 ? <Invite /> : <NeedsProvider />)}
    </Step>
  )
}

function Invite() {
  return (
    <p>
      Invite them with a role under <Link to="/settings/organization/members">Members</Link>. They get a mail with a
      link and sign in there.
    </p>
  )
}

function NeedsProvider() {
  return (
    <p>
      Colleagues sign in through an identity provider, and none is configured here.{' '}
      <Link to="/guides/identity-provider">Set up an identity provider</Link> first.
    </p>
  )
}
