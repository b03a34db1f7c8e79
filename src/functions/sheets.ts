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
      throw new Error(`\`${name}\` needs Google Sheets, which Taskwright does not run.`);
    },
  });
}

/** HUD's functions around Google Sheets: known, so that a task that uses them can be read, but not run. */
export const sheetFunctions = [
  sheet('sheets_from_xlsx', 'setup', 'Opens a Google sheet made from a spreadsheet file (not run by Taskwright).'),
  sheet('sheets_from_bytes', 'setup', 'Opens a Google sheet made from bytes (not run by Taskwright).'),
  sheet('sheet_contains', 'evaluate', 'Whether a Google sheet contains any of the texts (not run by Taskwright).'),
  sheet('sheets_cell_values', 'evaluate', 'Whether cells of a Google sheet hold values (not run by Taskwright).'),
];
