import { useState } from 'react'
import { listOrgs } from '#contract/auth/members.ts'
import { useCall } from '../call/use-call.ts'
import { useOnce } from '../call/use-once.ts'
import { Fault } from '../parts/form/fault.tsx'
import { useSession } from '../session/session.ts'
import { switchTo } from '../session/switch.ts'

/** Names the organization; a person with several switches here. */
export function OrgSwitch() {
  const { me } = useSession()
  const once = useOnce()
  const [error, setError] = useState<unknown>()
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
        onChange={({ currentTarget: { value } }) => once(() => switchTo(value).catch(setError))}
      >
        {orgs.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <Fault of={error} />
    </div>
  )
}
