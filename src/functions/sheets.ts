import * as z from 'zod';
import { declare } from './declare.ts';

const anything = z.array(z.unknown());

function sheet(name: string, phase: 'setup' | 'evaluate', doc: string) {
  return declare({
    name,
    phase,
    needs: ['page'],
    args: anything,
    parameters: ['...'],
    doc,
    notRun: true,
    run() {
      throw new Error(`\`${name}\` needs Google Sheets, which Taskwright does not support.`);
    },
  });
}

/** HUD's functions for Google Sheets. Tasks that use them can be read, but not run. */
export const sheetFunctions = [
  sheet(
    'sheets_from_xlsx',
    'setup',
    'Opens a Google sheet created from a spreadsheet file (not supported by Taskwright).',
  ),
  sheet('sheets_from_bytes', 'setup', 'Opens a Google sheet created from bytes (not supported by Taskwright).'),
  sheet(
    'sheet_contains',
    'evaluate',
    'Checks whether a Google sheet contains any of the texts (not supported by Taskwright).',
  ),
  sheet(
    'sheets_cell_values',
    'evaluate',
    'Checks the values of cells in a Google sheet (not supported by Taskwright).',
  ),
];
