import { ServiceError } from '#contract/core/errors.ts'
import { postForm } from './api.ts'

/** Switches to another organization of the person and loads the console anew, so that nothing of the former one stays. */
export async function switchTo(orgId: string): Promise<void> {
  await post('/auth/org', { org_id: orgId, return_to: '/' })
  location.assign('/')
}

export async function signOut(): Promise<void> {
  await post('/auth/logout', {})
  location.assign('/auth/login?signed_out=1')
}

async function post(path: string, fields: Record<string, string>): Promise<void> {
  const answer = await postForm(path, fields)
  if (answer.type === 'opaqueredirect' || answer.ok) return
  throw new ServiceError('UNAVAILABLE', 'This did not work. Reload the page and try again.')
}
