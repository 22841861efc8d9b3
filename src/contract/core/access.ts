/** Access of everyone in the organization of the token: people, and the tokens that act for them. */
export const byMember = { principals: ['user', 'api_token'], role: 'viewer', scope: null, org: 'token' } as const

/** Access to what belongs to the caller alone, such as their tokens. */
export const bySelf = { ...byMember, support: 'refused' } as const
