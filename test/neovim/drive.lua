-- Drives the language server as an editor does, and prints what each feature gives as one line of JSON.
local command, file = vim.env.NINEFOLD_SERVER, vim.env.NINEFOLD_DOCUMENT
vim.cmd('edit ' .. file)
local buffer = vim.api.nvim_get_current_buf()
local client = vim.lsp.start_client({ name = 'ninefold', cmd = vim.split(command, ' '), root_dir = vim.fn.getcwd() })
vim.lsp.buf_attach_client(buffer, client)
local results = {}

local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(buffer, 'textDocument/' .. method, params, 20000)
  local answer = answers and answers[client]
  return answer and answer.result
end

local document = { uri = vim.uri_from_bufnr(buffer) }
--- The place of a text, as the protocol counts: lines and characters from 0.
local function at(text, into)
  for line, content in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    local from = string.find(content, text, 1, true)
    if from then return { line = line - 1, character = from - 1 + (into or 0) } end
  end
end
local function placed(text, into, more)
  return vim.tbl_extend('force', { textDocument = document, position = at(text, into) }, more or {})
end
local function replace(text, by)
  local place = at(text)
  vim.api.nvim_buf_set_text(buffer, place.line, place.character, place.line, place.character + #text, { by })
end
local function findings(count)
  vim.wait(20000, function() return #vim.diagnostic.get(buffer) == count end, 20)
  return vim.diagnostic.get(buffer)
end

vim.wait(20000, function() return vim.lsp.buf_get_clients(buffer)[client] ~= nil end, 20)
ask('documentSymbol', { textDocument = document })
replace('Initial: draft', 'Inital: draft')
local wrong = findings(1)
results.finding = wrong[1] and wrong[1].message
local range = { start = at('Inital'), ['end'] = at('Inital', 6) }
local fixes = ask('codeAction', { textDocument = document, range = range, context = { diagnostics = {} } })
results.fix = fixes[1].title
vim.lsp.util.apply_workspace_edit(fixes[1].edit, 'utf-16')
results.left = #findings(0)
results.mended = at('- Initial: draft') ~= nil
local offers = ask('completion', placed('Initial: draft'))
results.completion = vim.tbl_map(function(one) return one.label end, offers.items or offers)
results.hover = ask('hover', placed('Initial: draft', 2)).contents.value
results.definition = ask('definition', placed('else order_not_open', 6)).range.start.line
results.references = #ask('references', placed('| quantity ', 3, { context = { includeDeclaration = true } }))
vim.lsp.util.apply_workspace_edit(ask('rename', placed('| quantity ', 3, { newName = 'amount' })), 'utf-16')
results.renamed = at('`amount <= 100') ~= nil and at('o.amount)') ~= nil and at('quantity') == nil
results.afterRename = #findings(0)
results.outline = #ask('documentSymbol', { textDocument = document })
results.folds = #ask('foldingRange', { textDocument = document })
results.tokens = #ask('semanticTokens/full', { textDocument = document }).data / 5
replace('| key_missing         | 401    |', '|key_missing|401|')
local edits = ask('formatting', { textDocument = document, options = { tabSize = 2, insertSpaces = true } })
vim.lsp.util.apply_text_edits(edits, buffer, 'utf-16')
results.formatted = at('| key_missing         | 401    |') ~= nil
replace('- Text: trimmed', '')
findings(1)
results.lenses = vim.tbl_map(function(one) return one.command.title end, ask('codeLens', { textDocument = document }))
io.stdout:write(vim.json and vim.json.encode(results) or vim.fn.json_encode(results), '\n')
vim.lsp.stop_client(client)
vim.cmd('qall!')
