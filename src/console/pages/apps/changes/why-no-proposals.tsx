import { useCall } from '#console/call/use-call.ts'
import { useSession } from '#console/session/session.ts'
import { DETECTORS_MODEL, DETECTORS_PROPOSE_NOTHING, readOrgMaintenance } from '#contract/maintenance/settings.ts'

/** Explains by the settings of the organization why there may be no proposals. Shows nothing if there may be some. */
export function WhyNoProposals() {
  const { me } = useSession()
  const { data } = useCall(readOrgMaintenance, { org_id: me.org.id })
  if (data === undefined) return null
  const where = <a href="/settings/organization/maintenance">Organization settings → Maintenance</a>
  if (!data.enabled) {
    return <p>The maintenance agent is off in this organization. An owner or admin switches it on under {where}.</p>
  }
  return <ModelProposesNothing model={data.model} />
}

/** Explains that the detectors propose nothing, and what to set for proposals. */
export function ModelProposesNothing({ model }: { model: string | null }) {
  if (model !== DETECTORS_MODEL) return null
  return (
    <p>
      {DETECTORS_PROPOSE_NOTHING} For proposals, an owner or admin names a chat model under{' '}
      <a href="/settings/organization/maintenance">Organization settings → Maintenance</a>.{' '}
      <a href="/guides/maintenance#try-a-proposal-without-an-account">The guide</a> has an example model that needs no
      account.
    </p>
  )
}
