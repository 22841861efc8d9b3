import { MAX_SEARCH_HITS } from '#contract/search.ts'
import type { MemberSearch } from '#ports/people.ts'
import type { FindThings } from '#ports/search.ts'

export function createFindPeople({ people }: { people: MemberSearch }): FindThings {
  return async ({ caller: { org_id }, text }) => {
    const answer = await people.findMembers(org_id, text, MAX_SEARCH_HITS)
    if (!answer.isKnown) return undefined
    return answer.value.map(({ user_id, display_name, email, role }) => ({
      kind: 'person',
      id: user_id,
      title: display_name,
      subtitle: `${email} · ${role}`,
      app: null,
    }))
  }
}
