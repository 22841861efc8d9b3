import { describe, expect, it } from 'vitest'
import { runSvc } from '#test/programs/cli-run.ts'
import { warnOfPlainHttp } from './plain-http.ts'

describe('CL-01 a key that would travel over http', () => {
  it.each([
    ['http://svc.example.com', true],
    ['http://10.0.0.7:8080', true],
    ['http://0.0.0.0:8080', true],
    ['http://[fd00::1]', true],
    ['http://localhost.example.com', true],
    ['http://127.0.0.1.example.com', true],
    ['https://svc.example.com', false],
    ['http://localhost:8080', false],
    ['http://svc.localhost:8080', false],
    ['http://127.0.0.1:8080', false],
    ['http://127.9.9.9', false],
    ['http://[::1]:8080', false],
  ])('to %s: warned of is %s', (address, isWarned) => {
    const notes: string[] = []
    warnOfPlainHttp(address, { note: (line) => notes.push(line) })
    expect(notes.length > 0).toBe(isWarned)
  })

  const env = { SVC_API_URL: 'http://svc.invalid', SVC_API_KEY: 'svc_key' }
  it.each([
    ['datasource', 'list'],
    ['api', 'GET', '/api/v1/me'],
    ['status'],
    ['login', '--api-url', 'http://svc.invalid', '--api-key', 'svc_key'],
  ])('is warned of by svc %s %s, on stderr, with what to do', async (...words) => {
    const { stdout, stderr } = await runSvc(words, { env })
    expect(stderr).toContain(
      'Warning: your API key is sent to svc.invalid without encryption, because http://svc.invalid is not https. ' +
        'Anyone on the network can read it. Log in again with an https address.\n',
    )
    expect(stdout).not.toContain('Warning')
  })

  it('is not warned of while a shell completes a word, because the line would appear in what is typed', async () => {
    expect(await runSvc(['complete', 'apps'], { env })).toMatchObject({ stderr: '' })
  })
})
