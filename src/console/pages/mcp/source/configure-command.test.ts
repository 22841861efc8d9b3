import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { asConfigureCommand, EXAMPLE } from './configure-command.ts'

it('CO-02 the command sends the saved document letter by letter, whatever stands in it', () => {
  const label = `it's "$(id)"\nEOF\n\\`
  const entry = { ...EXAMPLE.connection_config.embedding_configs[0]!, label }
  const document = { connection_config: { embedding_configs: [entry] }, filter_schema: {} }
  const command = asConfigureCommand('https://svc.example.com', 'db_docs', document)
  // A function in place of curl prints what it would send.
  const sent = execFileSync('sh', ['-c', `curl() { echo "$3"; cat; }\n${command}`], { encoding: 'utf8' })
  expect(sent.slice(0, sent.indexOf('{'))).toBe('https://svc.example.com/api/wf/data-sources/db_docs\n')
  expect(JSON.parse(sent.slice(sent.indexOf('{')))).toEqual(document)
})
