import type { Tested } from './tested.ts'

/** The report that CI systems read. */
export function renderJunit(tests: readonly Tested[]): string {
  const suites = Map.groupBy(tests, ({ workflow }) => workflow)
  const lines = [...suites].flatMap(([workflow, cases]) => [
    `  <testsuite name="${escapeXml(workflow)}" tests="${cases.length}" failures="${cases.filter(({ ok }) => !ok).length}">`,
    ...cases.flatMap(({ name, file, durationMs, ok, differences }) => {
      const head = `    <testcase name="${escapeXml(name)}" classname="${escapeXml(workflow)}" file="${escapeXml(file)}" time="${(durationMs / 1000).toFixed(3)}"`
      if (ok) return [`${head}/>`]
      const text = differences
        .map(
          ({ what, expected, actual }) =>
            `${what}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`,
        )
        .join('\n')
      return [
        `${head}>`,
        `      <failure message="${escapeXml(text.split('\n', 1)[0] ?? '')}">${escapeXml(text)}</failure>`,
        '    </testcase>',
      ]
    }),
    '  </testsuite>',
  ])
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...lines, '</testsuites>', ''].join('\n')
}

function escapeXml(text: string): string {
  return (
    text
      // XML 1.0 has no way to write these at all.
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not get into the file.
      .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
  )
}
