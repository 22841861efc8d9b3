import { expect, it } from 'vitest'
import { startSystem } from '#test/system.ts'
import packageJson from '../../../package.json' with { type: 'json' }

it('CL-06 answers for the client, refusals too, carry the version of the instance, and no others', async () => {
  await using system = await startSystem()
  const versionOf = async (path: string, headers: Record<string, string>) =>
    (await fetch(`${system.url}${path}`, { headers })).headers.get('x-svc-version')
  expect(await versionOf('/healthz', { 'x-svc-client': 'cli' })).toBe(packageJson.version)
  expect(await versionOf('/api/v1/me', { 'x-svc-client': 'cli' })).toBe(packageJson.version)
  expect(await versionOf('/api/v1/me', {})).toBeNull()
})
