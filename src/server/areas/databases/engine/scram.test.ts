import { describe, expect, it } from 'vitest'
import { checkProof, readVerifier, scramVerifier } from './scram.ts'

// The exchange of RFC 7677 section 3: user "user", password "pencil".
const SALT = Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64')
const NONCE = 'rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0'
const AUTH_MESSAGE = `n=user,r=rOprNGfwEbeRWgbNEkqO,r=${NONCE},s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,c=biws,r=${NONCE}`
const PROOF = Buffer.from('dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=', 'base64')

describe('SCRAM-SHA-256', () => {
  it('answers the example of RFC 7677', async () => {
    const verifier = readVerifier(await scramVerifier('pencil', SALT))
    const signature = checkProof(verifier, AUTH_MESSAGE, PROOF)
    expect(signature?.toString('base64')).toBe('6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=')
  })

  it('refuses a wrong proof, one of another length, and another password', async () => {
    const verifier = readVerifier(await scramVerifier('pencil', SALT))
    expect(checkProof(verifier, AUTH_MESSAGE, Buffer.alloc(32))).toBeUndefined()
    expect(checkProof(verifier, AUTH_MESSAGE, PROOF.subarray(1))).toBeUndefined()
    expect(checkProof(readVerifier(await scramVerifier('pen', SALT)), AUTH_MESSAGE, PROOF)).toBeUndefined()
  })

  it('salts each verifier anew and never holds the password', async () => {
    const verifiers = await Promise.all([scramVerifier('pencil'), scramVerifier('pencil')])
    expect(verifiers[0]).not.toBe(verifiers[1])
    expect(verifiers.join()).not.toContain('pencil')
  })

  it('takes nothing else for a verifier', () => {
    expect(() => readVerifier('md5abc')).toThrow('not a SCRAM verifier')
  })
})
