import { newId } from '#edge/ids.ts'
import { knownPeople, type MemberSearch, type People } from '#ports/people.ts'
import { createAppDirectory } from '../areas/apps/index.ts'
import { createPeopleDirectory } from '../areas/auth/index.ts'
import { createHostedPeopleDirectory } from '../areas/hosted-people/index.ts'
import type { ServiceParts } from './parts.ts'

type Parts = Pick<ServiceParts, 'config' | 'db' | 'clock' | 'log' | 'neighbour'>

const TIME_LIMIT_MS = 10_000

/** The only place that chooses where people are asked for. */
export function composePeople(parts: Parts): People & MemberSearch {
  const directory = isHosted(parts) ? hostedDirectory(parts) : createPeopleDirectory(parts)
  const apps = createAppDirectory(parts)
  return {
    ...directory,
    partHolders: async (orgId, appId) => {
      const holders = await apps.listHolders(orgId, appId)
      const userIds = holders.map(({ user_id }) => user_id)
      const members = await directory.displayNames(orgId, userIds)
      return members.isKnown ? knownPeople(holders.filter(({ user_id }) => members.value.has(user_id))) : members
    },
  }
}

/** An address alone does not say so: in a cluster the own auth service has one too. */
export function isHosted({ config: { services, authLoginUrl, secrets } }: Pick<Parts, 'config'>): boolean {
  if (services.includes('auth-service')) return false
  return authLoginUrl !== undefined || secrets.authApiTokens.length > 0
}

function hostedDirectory({ config, clock, log, neighbour }: Parts) {
  const auth = neighbour('auth-service')
  return createHostedPeopleDirectory({
    auth: (request) =>
      auth(request, { clientAddress: '127.0.0.1', requestId: newId('req'), via: 'api', direct: false }),
    tokens: config.secrets.authApiTokens,
    clock,
    log,
    timeLimitMs: TIME_LIMIT_MS,
  })
}
