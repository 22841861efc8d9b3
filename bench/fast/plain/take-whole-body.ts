export function takeWholeBody(): undefined {}
