import { useAct } from '#console/call/use-act.ts'
import { Confirm } from '#console/parts/confirm.tsx'
import { useSession } from '#console/session/session.ts'
import { readOrg, setDomains } from '#contract/auth/members.ts'

type Props = { domain: string; domains: readonly string[]; onClose: () => void }

/** Asks before people of a domain no longer join by themselves. */
export function RemoveDomain({ domain, domains, onClose }: Props) {
  const { me } = useSession()
  const remove = useAct(setDomains, { changes: [readOrg], done: () => `Removed ${domain}.`, after: onClose })
  return (
    <Confirm
      title="Remove domain"
      isRunning={remove.isRunning}
      error={remove.error}
      onConfirm={() => remove.run({ org_id: me.org.id, domains: domains.filter((other) => other !== domain) })}
      onClose={onClose}
    >
      <p>
        People of <strong>{domain}</strong> no longer join by themselves. Those who are members stay. Only an owner with
        a verified address of the domain, or the operator, can add it again.
      </p>
    </Confirm>
  )
}
