import { describe, expect, it } from 'vitest'
import { APP, googleUser, startSignIn, titleOf } from '#test/sign-in.ts'

describe('AU-05 the return_to of a sign-in', () => {
  it('is checked before redirecting to the provider, over HTTP', async () => {
    await using at = await startSignIn()
    for (const return_to of ['//evil.test', 'https://app.base.com.evil.test/']) {
      for (const path of ['/auth/google/start', '/auth/login']) {
        const response = await at.browser().go(`${APP}${path}?${new URLSearchParams({ return_to })}`)
        expect([response.status, await titleOf(response)]).toEqual([400, 'This address is not allowed'])
      }
    }
    const allowed = await at.signIn(at.browser(), 'google', googleUser(), { return_to: 'https://app.base.com/x' })
    expect(allowed.headers.get('location')).toBe('https://app.base.com/x')
  })
})
