import { expect, test } from 'vitest'
import { HintedError } from '../command/hinted-error.ts'
import { networkError } from './network-error.ts'

const URL_OF_INSTANCE = 'https://svc.example.com'
const failed = (code: string) => new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })

test.each([
  ['ENOTFOUND', `This machine cannot resolve the host name of ${URL_OF_INSTANCE} (ENOTFOUND).`],
  ['EHOSTUNREACH', `This machine has no connection to the network of ${URL_OF_INSTANCE} (EHOSTUNREACH).`],
  ['EMFILE', `This machine could not open a connection to ${URL_OF_INSTANCE} (EMFILE).`],
  [
    'SELF_SIGNED_CERT_IN_CHAIN',
    `This machine does not trust the certificate of ${URL_OF_INSTANCE} (SELF_SIGNED_CERT_IN_CHAIN).`,
  ],
])('CL-03 %s is a fault of this machine, not of the instance', (code, detail) => {
  const error = networkError(URL_OF_INSTANCE, failed(code))
  expect(error).toBeInstanceOf(HintedError)
  expect(error).toMatchObject({ code: 'UNAVAILABLE', message: detail })
})

test.each([
  [failed('ECONNREFUSED'), ' (ECONNREFUSED)'],
  [new TypeError('fetch failed'), ''],
])('CL-03 any other failure says that the instance cannot be reached', (cause, reason) => {
  expect(networkError(URL_OF_INSTANCE, cause).message).toBe(
    `Cannot reach ${URL_OF_INSTANCE}${reason}. Check that it is running.`,
  )
})
