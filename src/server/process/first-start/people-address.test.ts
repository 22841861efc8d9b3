import { expect, it } from 'vitest'
import { peopleAddress } from './people-address.ts'

const LISTENER = 'http://127.0.0.1:8080'

it.each([
  ['without a public address', undefined, LISTENER, []],
  ['the same public address', LISTENER, LISTENER, []],
  ['another name of this machine', 'http://localhost:8080', 'http://localhost:8080', []],
  [
    'another port',
    'http://localhost:3000',
    LISTENER,
    ['people sign in at http://localhost:3000 (SVC_REDIRECT_BASE_URL), not at this address'],
  ],
  [
    'a proxy',
    'https://svc.example.com',
    LISTENER,
    ['people sign in at https://svc.example.com (SVC_REDIRECT_BASE_URL), not at this address'],
  ],
])('OP-01 the start prints the address that sign-in works at: %s', (_, publicUrl, url, notes) => {
  expect(peopleAddress(LISTENER, publicUrl)).toEqual({ url, notes })
})
