/** A process for the bytes of apps that somebody took over. The port it is told says what it sends. */
process.stdout.write('{"is":"loaded"}\n')
process.stdin.once('data', () => {
  process.stdout.write('{"is":"listening","port":1}\n')
  process.stdout.write(
    '{"is":"ended","id":77}\n{"is":"refused","path":"/none","reason":"x"}\n{"is":"body","id":5,"bytes":"","broken":true}\n',
  )
  process.stdout.write('x'.repeat(10_000_000))
})
