package adopt

import (
	"maps"
	"reflect"
	"slices"

	"github.com/Azure/azure-service-operator/v2/pkg/genruntime"
)

// armReference is the tag of ASO on a field that refers to another resource: the name of the field in the type for ARM that has the ID.
const armReference = "armReference"

var (
	reference          = reflect.TypeFor[genruntime.ResourceReference]()
	wellKnownReference = reflect.TypeFor[genruntime.WellKnownResourceReference]()
)

// fillReferences gives a spec the references that ASO's conversion leaves out. Spec and sent are the two sides of that conversion, so that fields
// of one name, and items of one place, stand for each other.
func fillReferences(spec, sent reflect.Value) {
	spec, sent = direct(spec), direct(sent)
	if !spec.IsValid() || !sent.IsValid() {
		return
	}
	switch spec.Kind() {
	case reflect.Struct:
		if sent.Kind() == reflect.Struct {
			fillFields(spec, sent)
		}
	case reflect.Slice:
		for i := range spec.Len() {
			if sent.Kind() == reflect.Slice && i < sent.Len() {
				fillReferences(spec.Index(i), sent.Index(i))
			}
		}
	case reflect.Map:
		if sent.Kind() == reflect.Map {
			fillEntries(spec, sent)
		}
	}
}

func fillFields(spec, sent reflect.Value) {
	for i := range spec.NumField() {
		field, value := spec.Type().Field(i), spec.Field(i)
		if id, tagged := field.Tag.Lookup(armReference); tagged {
			setReference(value, counterpart(sent, id))
			continue
		}
		of := counterpart(sent, field.Name)
		if !of.IsValid() {
			continue
		}
		if ids := byID(value, of); ids.IsValid() {
			value.Set(ids)
			continue
		}
		fillReferences(value, of)
	}
}

// fillEntries is for maps, whose values cannot be written in place.
func fillEntries(spec, sent reflect.Value) {
	for _, key := range spec.MapKeys() {
		value := reflect.New(spec.Type().Elem()).Elem()
		value.Set(spec.MapIndex(key))
		if of := sent.MapIndex(key.Convert(sent.Type().Key())); of.IsValid() {
			fillReferences(value, of)
		}
		spec.SetMapIndex(key, value)
	}
}

// counterpart returns the field of the type for ARM that has the name; ARM has most of them in properties.
func counterpart(sent reflect.Value, name string) reflect.Value {
	if found := sent.FieldByName(name); found.IsValid() {
		return found
	}
	properties := direct(sent.FieldByName("Properties"))
	if !properties.IsValid() || properties.Kind() != reflect.Struct {
		return reflect.Value{}
	}
	return properties.FieldByName(name)
}

// byID returns the list of references that stands for a map whose keys are IDs, as of the identities of a resource. It is invalid for any other
// field.
func byID(value, sent reflect.Value) reflect.Value {
	sent = direct(sent)
	if value.Kind() != reflect.Slice || !sent.IsValid() || sent.Kind() != reflect.Map || value.Type().Elem().Kind() != reflect.Struct {
		return reflect.Value{}
	}
	field, ok := value.Type().Elem().FieldByName("Reference")
	if !ok || field.Type != reference {
		return reflect.Value{}
	}
	ids := map[string]bool{}
	for _, key := range sent.MapKeys() {
		ids[key.String()] = true
	}
	list := reflect.MakeSlice(value.Type(), 0, len(ids))
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		item := reflect.New(value.Type().Elem()).Elem()
		item.FieldByIndex(field.Index).Set(reflect.ValueOf(genruntime.ResourceReference{ARMID: id}))
		list = reflect.Append(list, item)
	}
	return list
}

// setReference makes a field refer to the resource whose ID sent has, or to those.
func setReference(value, sent reflect.Value) {
	sent = direct(sent)
	switch {
	case !sent.IsValid():
	case value.Kind() == reflect.Slice && value.Type().Elem() == reference && sent.Kind() == reflect.Slice:
		for i := range sent.Len() {
			if id := direct(sent.Index(i)); id.IsValid() && id.Kind() == reflect.String {
				value.Set(reflect.Append(value, reflect.ValueOf(genruntime.ResourceReference{ARMID: id.String()})))
			}
		}
	case sent.Kind() != reflect.String || sent.Len() == 0:
	case value.Kind() == reflect.Pointer && value.Type().Elem() == reference:
		value.Set(reflect.ValueOf(&genruntime.ResourceReference{ARMID: sent.String()}))
	case value.Kind() == reflect.Pointer && value.Type().Elem() == wellKnownReference:
		value.Set(reflect.ValueOf(&genruntime.WellKnownResourceReference{ResourceReference: genruntime.ResourceReference{ARMID: sent.String()}}))
	case value.Type() == reference:
		value.Set(reflect.ValueOf(genruntime.ResourceReference{ARMID: sent.String()}))
	}
}

// direct follows pointers; it returns an invalid value for nil.
func direct(v reflect.Value) reflect.Value {
	for v.IsValid() && (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) {
		v = v.Elem()
	}
	return v
}

// references returns every reference in a value.
func references(v reflect.Value) []genruntime.ResourceReference {
	v = direct(v)
	if !v.IsValid() {
		return nil
	}
	if v.Type() == reference {
		return []genruntime.ResourceReference{v.Interface().(genruntime.ResourceReference)} //nolint:forcetypeassert // It is the type.
	}
	var all []genruntime.ResourceReference
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				all = append(all, references(v.Field(i))...)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			all = append(all, references(v.Index(i))...)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			all = append(all, references(v.MapIndex(key))...)
		}
	}
	return all
}
