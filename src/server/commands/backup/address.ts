export const STANDARD_OUTPUT = '-'

export function isBucketAddress(address: string): boolean {
  return address.startsWith('s3://')
}
