const { leftKey, rightKey, kind, as } = getVariables()
const [left, right] = Datasource
if (!Array.isArray(left) || !Array.isArray(right)) throw new Error('Join needs two data sources whose results are lists.')
return fx.joinLists(left, right, leftKey, rightKey || leftKey, kind || 'inner', as || 'right')
