const input = Datasource[0] ?? null
if (fx.isEmpty(input)) {
  console.log('There is nothing to do; the run ends here.')
  fx.stopAfterThisBlock(getVariables().moveDateLastRun !== false)
}
return input
