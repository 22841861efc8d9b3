import { describe, expect, test } from 'vitest'
import { inCidrs, judgeAddress, parseCidr } from './address.ts'

const publicAddresses = [
  '1.1.1.1',
  '93.184.216.34',
  '100.63.255.255',
  '100.128.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '168.63.129.15',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001:831::200e',
  '2400:cb00::1',
]

const specialRanges = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '100.64.0.1',
  '100.100.100.200',
  '127.0.0.1',
  '127.255.255.255',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  '::5efe:7f00:1',
  '::ffff:127.0.0.1',
  '::ffff:93.184.216.34',
  '::ffff:0:127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::5db8:d822',
  '64:ff9b:1::7f00:1',
  '100::1',
  '2001::1',
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '3fff::1',
  '4000::1',
  '5f00::1',
  'fc00::1',
  'fd00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
]

const notAddresses = ['', 'localhost', '2130706433', '0x7f000001', '0177.0.0.1', '127.1', '[::1]', '1.1.1.1/32']

describe('judgeAddress', () => {
  test.each(publicAddresses)('%s is public', (ip) => {
    expect(judgeAddress(ip)).toBe('public')
  })

  test.each(specialRanges)('NO-08 %s is refused as a special range', (ip) => {
    expect(judgeAddress(ip)).toEqual({ refused: 'special_range' })
  })

  test.each(notAddresses)('NO-08 "%s" is refused because it is not an address', (ip) => {
    expect(judgeAddress(ip)).toEqual({ refused: 'not_an_address' })
  })

  test("NO-08 Azure's wire server is refused although its number is public", () => {
    expect(judgeAddress('168.63.129.16')).toEqual({ refused: 'platform_service' })
  })
})

describe('inCidrs', () => {
  const cidrs = ['10.20.0.0/16', 'fd12::/16'].map(parseCidr)

  test.each([
    ['10.20.0.0', true],
    ['10.20.255.255', true],
    ['10.21.0.0', false],
    ['::ffff:10.20.0.1', false],
    ['fd12::1', true],
    ['fd13::1', false],
    ['10.20.1', false],
    ['', false],
  ])('%s: %s', (ip, inside) => {
    expect(inCidrs(ip, cidrs)).toBe(inside)
  })

  test('an empty list contains no address', () => {
    expect(inCidrs('10.20.0.1', [])).toBe(false)
  })

  test.each(['10.0.0.0', '10.0.0.0/33', 'example.com/8', ''])('"%s" is refused as a range', (text) => {
    expect(() => parseCidr(text)).toThrow()
  })
})
