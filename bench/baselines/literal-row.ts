import 'reflect-metadata';
import {
  IsDateString,
  IsIn,
  IsInt,
  IsISO31661Alpha2,
  IsISO4217CurrencyCode,
  IsNumber,
  IsString,
  IsUppercase,
  Length,
  Max,
  Min,
  validateSync,
} from 'class-validator';

/** A cost row with the rules of class-validator. */
class CostRow {
  @IsDateString({ strict: true })
  date!: string;
  @IsString()
  @Length(1, 256)
  channel!: string;
  @IsUppercase()
  @IsISO4217CurrencyCode()
  currency!: string;
  @IsString()
  @Length(1, 256)
  campaign!: string;
  @IsInt()
  @Min(0)
  @Max(999_999_999_999)
  impressions!: number;
  @IsInt()
  @Min(0)
  @Max(999_999_999_999)
  clicks!: number;
  @IsNumber({ allowNaN: false, allowInfinity: false })
  cost!: number;
  @IsString()
  @Length(1, 256)
  campaign_id!: string;
  @IsString()
  @Length(1, 256)
  ad_group!: string;
  @IsISO31661Alpha2()
  country!: string;
  @IsIn(['Android', 'iOS'])
  os_name!: string;
}

/** @throws Error for a row that breaks a rule */
export function validated(fields: Readonly<Record<string, string>>): CostRow {
  // Assigned by hand, because class-transformer does the same at many times the cost.
  const row = Object.assign(new CostRow(), fields, {
    impressions: Number(fields['impressions']),
    clicks: Number(fields['clicks']),
    cost: Number(fields['cost']),
  });
  const [error] = validateSync(row, { stopAtFirstError: true });
  if (error !== undefined) throw new Error(error.toString());
  return row;
}
