package arm

import "reflect"

// find returns every value of a type within another value.
func find[T any](in any) []T {
	var found []T
	collect(reflect.ValueOf(in), &found)
	return found
}

func collect[T any](v reflect.Value, found *[]T) {
	if !v.IsValid() {
		return
	}
	if v.Type() == reflect.TypeFor[T]() {
		*found = append(*found, v.Interface().(T))
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		collect(v.Elem(), found)
	case reflect.Slice:
		for i := range v.Len() {
			collect(v.Index(i), found)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			collect(v.MapIndex(key), found)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				collect(v.Field(i), found)
			}
		}
	}
}
