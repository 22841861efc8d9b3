import { asking, pkce, REDIRECT } from '../agents/connector.ts'
import type { Visit } from './console-visit.ts'

/** Registers an agent, approves it in the person's browser, and returns its access token. */
export async function connectAgent(url: string, { page: ofPerson }: Visit, clientName: string): Promise<string> {
  const registered = await fetch(`${url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: clientName, redirect_uris: [REDIRECT] }),
  })
  const { client_id } = (await registered.json()) as { client_id: string }
  const { verifier, challenge } = pkce()
  const asked = asking(client_id, challenge, { resource: `${url}/mcp/platform` }) as Record<string, string>
  const page = await ofPerson.context().newPage()
  await page.goto(`${url}/oauth/authorize?${new URLSearchParams(asked)}`)
  // Nothing listens at the address of the agent: the browser is seen going there with the code.
  const back = page.waitForRequest((request) => request.url().startsWith(REDIRECT))
  await page.getByRole('button', { name: 'Approve' }).click()
  const code = new URL((await back).url()).searchParams.get('code')!
  const form = { grant_type: 'authorization_code', code, code_verifier: verifier, client_id, redirect_uri: REDIRECT }
  const redeemed = await fetch(`${url}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) })
  return ((await redeemed.json()) as { access_token: string }).access_token
}
