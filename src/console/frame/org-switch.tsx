import { useState } from 'react'
import { listOrgs } from '#contract/auth/members.ts'
import { explain } from '../call/explain.ts'
import { useCall } from '../call/use-call.ts'
import { useSession } from '../session/session.ts'
import { switchTo } from '../session/switch.ts'

/** Names the organization; a person with several switches here. */
export function OrgSwitch() {
  const { me } = useSession()
  const [fault, setFault] = useState<string>()
  const { data } = useCall(listOrgs, { limit: 100 }, { enabled: !me.read_only })
  const orgs = data?.items ?? []
  if (orgs.length < 2) return <p className="org">{me.org.name}</p>
  return (
    <div className="org">
      <label htmlFor="org" className="visually-hidden">
        Organization
      </label>
      <select
        id="org"
        value={me.org.id}
        onChange={(event) => {
          switchTo(event.currentTarget.value).catch((error: unknown) => setFault(explain(error)))
        }}
      >
        {orgs.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      {fault !== undefined && (
        <p className="fault" role="alert">
          {fault}
        </p>
      )}
    </div>
  )
}
