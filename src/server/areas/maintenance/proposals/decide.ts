import { type ErrorCode, ServiceError } from '#contract/core/errors.ts'
import { type Role, roleAtLeast } from '#contract/core/roles.ts'
import type { ProposalAct, ProposalDecision, ProposalStatus } from '#contract/maintenance/proposals.ts'
import type { SettingChange } from '../settings/changes-store.ts'
import { findTie, type Tie } from './ties.ts'

type Caller = {
  /** The person, whether by session, by API token or by an agent of theirs. */
  readonly userId: string | null
  readonly role: Role
  /** Vendor staff in a support session. */
  readonly isSupport: boolean
}

type Facts = {
  readonly caller: Caller
  readonly status: ProposalStatus
  readonly invalidReason: string | null
  /** Another deploy of the app waits or is under way. */
  readonly isDeploying: boolean
  /** The person who started the run by hand. */
  readonly requestedBy: string | null
  /** The person whose change of the schedule made the run due. */
  readonly dueBy: string | null
  /** Changes of settings in the 24 hours before the proposal or the decision. */
  readonly changes: readonly SettingChange[]
  /** User ids of the owners and admins. `unknown` where auth keeps people elsewhere and does not tell. */
  readonly deciders: readonly string[] | 'unknown'
  /** User ids of those who lost that role in the 24 hours before the proposal or the decision. */
  readonly formerDeciders: readonly string[]
}

type Refusal = { readonly code: ErrorCode; readonly text: string }
type Reason = ProposalDecision['reasons'][number]

/** Returns what the caller may do with a proposal, and why not. Its author is the agent, so nobody decides their own. */
export function decide(facts: Facts): ProposalDecision {
  const refused = {
    approve: refuseCaller(facts) ?? refuseApproval(facts),
    deny: refuseCaller(facts) ?? refuseUnready(facts),
    retry: refuseCaller(facts) ?? refuseRetry(facts),
  }
  const reasons: Reason[] = Object.entries(refused).flatMap(([act, refusal]) =>
    refusal ? [{ act: act as ProposalAct, ...refusal }] : [],
  )
  const tie = tieOfCaller(facts)
  if (!refused.approve && tie) reasons.push({ act: 'approve', ...onlyApprover(facts, tie) })
  return { can_approve: !refused.approve, can_deny: !refused.deny, can_retry: !refused.retry, reasons }
}

export function refuseAct({ reasons, ...decision }: ProposalDecision, act: ProposalAct): void {
  if (decision[`can_${act}`]) return
  const { code, text } = reasons.find((reason) => reason.act === act)!
  throw new ServiceError(code as ErrorCode, text)
}

function onlyApprover({ deciders, caller }: Facts, { text }: Tie): Omit<Reason, 'act'> {
  const hasOthers = deciders !== 'unknown' && deciders.some((userId) => userId !== caller.userId)
  const why = hasOthers
    ? 'every other owner and admin asked for it or changed a setting too'
    : 'the organization has no other owner or admin'
  return { code: 'ONLY_APPROVER', text: `${text}. You may approve it because ${why}; the audit trail says so.` }
}

function tieOfCaller(facts: Facts): Tie | undefined {
  return facts.caller.userId === null ? undefined : findTie(facts, facts.caller.userId)
}

function refuseCaller({ caller }: Facts): Refusal | undefined {
  if (caller.isSupport) return { code: 'FORBIDDEN', text: 'Support sessions do not decide about proposals.' }
  if (roleAtLeast(caller.role, 'admin')) return undefined
  return { code: 'FORBIDDEN', text: `Owners and admins decide about proposals. Your role is ${caller.role}.` }
}

function refuseApproval(facts: Facts): Refusal | undefined {
  const unready = refuseUnready(facts)
  if (unready) return unready
  if (facts.isDeploying) {
    return notReady('Another deploy of the app is under way. Look again when it has ended.')
  }
  const tie = tieOfCaller(facts)
  return tie === undefined ? undefined : refuseOwn(facts, tie)
}

/**
 * Refuses while another owner or admin has less to do with the change. Where all of them changed a setting, for example on
 * the day on which they set maintenance up, they may approve, and the person who started the run may not.
 */
function refuseOwn(facts: Facts, { rank, text: act }: Tie): Refusal | undefined {
  const { deciders, caller } = facts
  if (deciders === 'unknown') {
    return own(
      `${act}, and svc does not know whether another owner or admin could approve it. Ask another owner or admin.`,
    )
  }
  const isFreer = (userId: string) => userId !== caller.userId && (findTie(facts, userId)?.rank ?? 0) < rank
  if (deciders.some(isFreer)) return own(`${act}, so another owner or admin must approve it.`)
  if (!facts.formerDeciders.some(isFreer)) return undefined
  return own(
    `${act}, and another owner or admin, who could approve it, lost that role in the same 24 hours. Give the role back, or wait for a proposal of a later run.`,
  )
}

function refuseUnready({ status, invalidReason }: Facts): Refusal | undefined {
  if (status === 'ready') return undefined
  if (status === 'invalid') return notReady(`The change is not valid: ${invalidReason ?? 'it could not be made'}`)
  return notReady(UNREADY_TEXTS[status])
}

const UNREADY_TEXTS: Record<Exclude<ProposalStatus, 'ready' | 'invalid'>, string> = {
  validating: 'The proposal is being validated. Look again in a moment.',
  superseded: 'Another revision is live than the one that the proposal changes. Retry makes the change of that one.',
  expired: 'The proposal is older than 14 days. A later run can propose the change again.',
  approved: 'The proposal was approved already.',
  deploying: 'The proposal was approved already.',
  deployed: 'The proposal was approved already.',
  deploy_failed: 'The proposal was approved, and its deploy failed. Retry validates it again.',
  denied: 'The proposal was denied already.',
}

const RETRYABLE: readonly ProposalStatus[] = ['superseded', 'invalid', 'deploy_failed']

function refuseRetry({ status }: Facts): Refusal | undefined {
  if (RETRYABLE.includes(status)) return undefined
  const text = `Only a proposal that is superseded, not valid or failed to deploy can be validated again. This one is ${status}.`
  return { code: 'PROPOSAL_NOT_RETRYABLE', text }
}

function notReady(text: string): Refusal {
  return { code: 'PROPOSAL_NOT_READY', text }
}

function own(text: string): Refusal {
  return { code: 'PROPOSAL_OWN', text }
}
